/* SPDX-License-Identifier: Apache-2.0 */
/* A worker is not believed, and cannot make its client hang. */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "forbid_call.h"
#include "unit.h"
#include "worker/worker.h"

TEST(test_messages)
{
    static const struct {
        const char *text, *why; /* NULL: it is good */
    } rows[] = {
        {"{\"ok\": true, \"ns\": 5, \"counts\": [{\"value\": 1e19}]}", NULL},
        {"{\"max_ulp\": 1e30, \"mean_ulp\": 1e300, \"worst_input\": -1e30}", NULL},
        {"{\"dims\": [-1, 2], \"ld\": -3, \"waited_ns\": -1}", NULL},
        {"{\"ns\": -1}", "'ns' is -1"},
        {"{\"ns\": 1e300}", "'ns' is 1e+300"},
        {"{\"ns\": 1e999}", "'ns' is inf"},
        {"{\"counts\": [{}, {\"value\": -2}]}", "'value' is -2"},
        {"{\"max_ulp\": -1}", "'max_ulp' is -1"},
        {"{\"ops\": -0.5}", "'ops' is -0.5"},
        {"{\"a\": {\"b\": {\"prepare_ns\": -1e-9}}}", "'prepare_ns' is -1e-09"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct error error = {.text = ""};
        cJSON *const message = cJSON_Parse(rows[i].text);
        assert_non_null(message);
        assert_int_equal(message_check(message, &error), rows[i].why ? -EPROTO : 0);
        assert_string_equal(error.text, rows[i].why ? rows[i].why : "");
        cJSON_Delete(message);
    }
}

static cJSON *list_of(const char *name, int n)
{
    cJSON *const message = cJSON_CreateObject();
    cJSON *const array = cJSON_AddArrayToObject(message, name);
    for (int i = 0; i < n; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNull());
    return message;
}

TEST(test_endless_messages)
{
    struct error error = {.text = ""};
    char text[65538];
    for (int more = 0; more < 2; more++) {
        cJSON *message = list_of("kernels", 10000 + more);
        assert_int_equal(message_check(message, &error), more ? -EPROTO : 0);
        cJSON_Delete(message);
        message = cJSON_CreateObject();
        memset(text, 'x', sizeof text);
        text[65536 + more] = '\0';
        cJSON_AddStringToObject(message, "note", text);
        assert_int_equal(message_check(message, &error), more ? -EPROTO : 0);
        cJSON_Delete(message);
    }
    assert_string_equal(error.text, "'note' has 65537 bytes");
}

TEST(test_whole_numbers)
{
    static const struct {
        const char *text;
        int number;
    } rows[] = {{"{\"n\": 7}", 7},
                {"{\"n\": -7}", 0},
                {"{\"n\": 1e300}", INT_MAX},
                {"{\"n\": \"7\"}", 3},
                {"{}", 3}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        cJSON *const message = cJSON_Parse(rows[i].text);
        assert_int_equal(message_int(message, "n", 3), rows[i].number);
        cJSON_Delete(message);
    }
}

/* A program that answers nothing, in a sandbox that forbids to wait for it. */
static int start_without_poll(void)
{
    struct error error = {.text = ""};
#ifdef SYS_poll
    if (forbid_call(SYS_poll) < 0)
        return NO_SANDBOX;
#endif
    if (forbid_call(SYS_ppoll) < 0)
        return NO_SANDBOX;
    struct worker *const worker = worker_new_program("mute", "/bin/sh", -1);
    worker->memory_fd = STDERR_FILENO;
    const int status = worker_start(worker, false, &error);
    const bool said = strstr(error.text, "mute: cannot wait for 'start': poll: ");
    worker_free(worker);
    return status == -EPERM && said ? 0 : 1;
}

TEST(test_without_poll)
{
    const int status = in_child(start_without_poll);
    if (status == NO_SANDBOX)
        skip();
    assert_int_equal(status, 0);
}

/* This program knows what it offers; all else needs a process. */
TEST(test_own_offers)
{
    const struct shape_call shape = {"gemm", "f32", "8", NULL};
    struct error error = {.text = ""};
    struct worker *const own = worker_new("simdbench", NULL, NULL, 0, -1);
    cJSON *reply;
    assert_int_equal(worker_ask(own, describe_call(), 0, &reply, &error), 0);
    assert_true(cJSON_GetArraySize(message_get(reply, "kernels")) > 0);
    cJSON_Delete(reply);
    assert_int_equal(worker_ask(own, shape_call(&shape), 0, &reply, &error), 0);
    assert_string_equal(message_text(reply, "text"), "8x8x8");
    cJSON_Delete(reply);
    assert_int_equal(worker_ask(own, objects_call(), 0, &reply, &error), -ECONNRESET);
    assert_false(worker_alive(own));
    worker_free(own);
}
