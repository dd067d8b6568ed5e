/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of events go from process to process and from run to run. */
#include "file_tree.h"
#include "reports.h"
#include "unit.h"
#include "worker/service/service.h"

static char root[64];
static const struct event events[3] = {{.type = 4, .config = 0xc0},
                                       {.type = 4, .config = 0x1aa},
                                       {.type = 4, .config = 0xcb}};

static int begin(void **state)
{
    strcpy(root, "/tmp/simdbench-proofs-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    return setenv("XDG_CACHE_HOME", root, 1);
}

static int end(void **state)
{
    return tree_remove(root);
}
#define FOLDER_TEST(name) TEST_BETWEEN(name, begin, end)

static void make(struct proofs *proofs)
{
    *proofs = (struct proofs){.n = 3, .slots = {6, 5}, .known = {true, true, true}};
    proofs->proof[0] = (struct proof){
        .verdict = PROOF_PROVEN, .loop = "loads", .expected = 1e5, .counted = 100002};
    proofs->proof[1] = (struct proof){.verdict = PROOF_DEAD,
                                      .expected = 1e5,
                                      .counted = 0,
                                      .reason = "opens but reads 0"};
    proofs->proof[2] = (struct proof){.verdict = PROOF_UNPROVEN,
                                      .expected = NAN,
                                      .counted = NAN,
                                      .reason = "no loop is known for it"};
}

FOLDER_TEST(test_messages)
{
    struct proofs proofs, read = {.n = 3};
    make(&proofs);
    proofs.known[2] = false;
    cJSON *const message = cJSON_CreateObject();
    proofs_add(message, &proofs);
    assert_true(proofs_read(message, &read));
    assert_false(proofs_read(message, &read)); /* it is known by now */
    assert_true(read.known[0] && read.known[1] && !read.known[2]);
    assert_int_equal(read.proof[0].verdict, PROOF_PROVEN);
    assert_string_equal(read.proof[0].loop, "loads");
    assert_true(read.proof[0].expected == 1e5 && read.proof[0].counted == 100002);
    assert_string_equal(read.proof[1].reason, "opens but reads 0");
    assert_true(read.slots.announced == 6 && read.slots.live == 5);
    cJSON_Delete(message);
}

/* Foreign workers may say anything. */
FOLDER_TEST(test_nonsense)
{
    static const char *const texts[] = {
        "{}",
        "{\"proofs\": 3}",
        "{\"proofs\": [3, null, {}, {\"verdict\": \"true\"}, 4]}",
        "{\"slots\": {\"announced\": 5, \"live\": 6}}",
        "{\"slots\": {\"live\": 1}}",
        "{\"slots\": {\"announced\": 1e9, \"live\": 6}}"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct proofs read = {.n = 3};
        cJSON *const message = cJSON_Parse(texts[i]);
        assert_non_null(message);
        assert_false(proofs_read(message, &read));
        assert_false(read.known[0] || read.known[1] || read.known[2]);
        assert_int_equal(read.slots.announced, 0);
        cJSON_Delete(message);
    }
}

FOLDER_TEST(test_file)
{
    struct proofs proofs, read;
    proofs_load("host", events, 3, &read);
    assert_true(read.loaded && !read.known[0]);
    make(&proofs);
    proofs_save("host", events, &proofs);
    proofs_load("host", events, 3, &read);
    assert_true(read.known[0] && read.known[1]);
    assert_false(read.known[2]); /* the next time a loop may tell */
    assert_string_equal(read.proof[1].reason, "opens but reads 0");
    assert_true(read.slots.live == 5);
    /* One that is kept is enough, also a PMU of which no counter is alive. */
    proofs.proof[0].verdict = PROOF_UNPROVEN;
    proofs.slots.live = 0;
    proofs_save("dead", events, &proofs);
    proofs_load("dead", events, 3, &read);
    assert_true(!read.known[0] && read.known[1]);
    assert_true(read.slots.announced == 6 && read.slots.live == 0);
    /* The key is the encoding. */
    proofs_load("host", &events[1], 1, &read);
    assert_int_equal(read.proof[0].verdict, PROOF_DEAD);
    proofs_load("another", events, 3, &read);
    assert_false(read.known[0] || read.slots.announced);
    proofs_load(NULL, events, 3, &read);
    assert_false(read.known[0]);
}

/* After the host has booted again nothing of it is known, but of others. */
FOLDER_TEST(test_boot)
{
    struct proofs proofs, read;
    char path[160], *text;
    size_t size;
    make(&proofs);
    proofs_save("host", events, &proofs);
    proofs_save("another", events, &proofs);
    snprintf(path, sizeof path, "%s/simdbench/counters.json", root);
    assert_int_equal(file_load(path, 4096, &text, &size), 0);
    char *const boot = strstr(text, "\"boot\":");
    assert_non_null(boot);
    boot[10] = boot[10] == 'x' ? 'y' : 'x';
    tree_put(root, "/simdbench/counters.json", text);
    free(text);
    proofs_load("host", events, 3, &read);
    assert_false(read.known[0]);
    proofs_load("another", events, 3, &read);
    assert_true(read.known[0]);
    proofs_save("host", &events[1],
                &(struct proofs){.n = 1, .known = {true}, .proof = {proofs.proof[1]}});
    proofs_load("host", events, 3, &read);
    assert_true(!read.known[0] && read.known[1] && !read.slots.announced);
    tree_put(root, "/simdbench/counters.json", "{\"schema_version\": 1, \"hosts\": [");
    proofs_load("another", events, 3, &read);
    assert_false(read.known[0]);
}

/* A verdict that is known is not tried again: what is dead stays absent, and says why. */
FOLDER_TEST(test_setup)
{
    struct service *service = NULL;
    struct count count;
    assert_int_equal(service_new(&service, NULL, NULL, 0, -1, NULL), 0);
    cJSON *const request = cJSON_Parse(
        "{\"do\": \"setup\", \"events\": [\"page-faults\", \"minor-faults\"], "
        "\"proofs\": [{\"verdict\": \"wrong\", \"reason\": \"counts twice\"}],"
        "\"slots\": {\"announced\": 6, \"live\": 5}}");
    cJSON *const reply = service_handle(service, request);
    assert_true(message_true(reply, "ok"));
    struct proofs read = {.n = 2};
    proofs_read(reply, &read);
    assert_true(read.known[0] && read.known[1]);
    assert_int_equal(read.proof[0].verdict, PROOF_WRONG);
    assert_true(read.proof[1].verdict == PROOF_PROVEN ||
                read.proof[1].verdict == PROOF_REFUSED);
    assert_int_equal(service->perf.slots, 5);
    assert_true(counters_get(service->sampler.counters, 0, &count));
    assert_string_equal(count.absent, "counts twice");
    cJSON_Delete(reply);
    cJSON_Delete(request);
    service_free(service);
}
