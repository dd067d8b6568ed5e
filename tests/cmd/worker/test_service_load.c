/* SPDX-License-Identifier: Apache-2.0 */
/* Requests `load` and `objects`: several modules in one worker. */
#include "process/process.h"
#include "unit.h"
#include "worker/service/service.h"

static struct service *service;

static cJSON *ask(cJSON *request)
{
    cJSON *reply = service_handle(service, request);
    cJSON_Delete(request);
    return reply;
}

static cJSON *load(const char *name)
{
    char path[4096];
    cJSON *request = message_new("load");
    snprintf(path, sizeof path, "%s/%s.so", getenv("SIMDBENCH_MODULES"), name);
    cJSON_AddStringToObject(request, "path", path);
    return ask(request);
}

static uint64_t count(const cJSON *object, const char *name)
{
    return (uint64_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(object, name));
}

static bool can_prepare(uint64_t number)
{
    cJSON *request = message_new("prepare");
    message_add_u64(request, "kernel", number);
    cJSON *reply = ask(request);
    const bool ok = message_true(reply, "ok");
    cJSON_Delete(reply);
    return ok;
}

static int start(void **state)
{
    struct error error;
    return service_new(&service, NULL, NULL, 0, -1, &error);
}

static int stop(void **state)
{
    service_free(service);
    return 0;
}

#define LOADED_TEST(name) TEST_BETWEEN(name, start, stop)

LOADED_TEST(test_load)
{
    cJSON *own = ask(message_new("describe"));
    cJSON *one = load("pace"), *two = load("pace_again");
    assert_true(message_true(one, "ok"));
    assert_true(message_true(two, "ok"));
    assert_int_equal(message_u64(one, "first", 0), count(own, "kernels"));
    assert_int_equal(message_u64(two, "first", 0),
                     count(own, "kernels") + count(one, "kernels"));
    assert_string_equal(message_text(one, "name"), "pace");
    assert_int_equal(count(one, "ops"), 1);
    /* Kernels are numbered on, to the last one and not beyond. */
    const uint64_t end = message_u64(two, "first", 0) + count(two, "kernels");
    assert_true(can_prepare(end - 1));
    assert_false(can_prepare(end));
    cJSON_Delete(own);
    cJSON_Delete(one);
    cJSON_Delete(two);
}

/* Calls that work on operands are refused before there are any, as after a failed map. */
LOADED_TEST(test_nothing_mapped)
{
    static const char *const verbs[] = {"fill", "change"};
    for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
        cJSON *request = message_new(verbs[i]);
        cJSON_AddStringToObject(request, "op", "relu");
        message_add_u64(request, "seed", 1);
        cJSON *reply = ask(request);
        assert_false(message_true(reply, "ok"));
        assert_non_null(strstr(message_text(reply, "error"), "no operands are mapped"));
        cJSON_Delete(reply);
    }
}

LOADED_TEST(test_bad_load)
{
    cJSON *replies[] = {load("no_entry"), load("newer_abi"), load("there_is_none"),
                        ask(message_new("load"))};
    for (size_t i = 0; i < ARRAY_LEN(replies); i++) {
        assert_false(message_true(replies[i], "ok"));
        assert_non_null(message_text(replies[i], "error"));
        cJSON_Delete(replies[i]);
    }
    /* A request that failed leaves the worker as it was. */
    cJSON *more = load("pace_again");
    assert_true(message_true(more, "ok"));
    assert_true(can_prepare(message_u64(more, "first", 0)));
    cJSON_Delete(more);
}

LOADED_TEST(test_too_many)
{
    bool ok = true;
    for (int i = 0; i < SERVICE_PARTS_MAX && ok; i++) {
        cJSON *reply = load("pace");
        ok = message_true(reply, "ok");
        cJSON_Delete(reply);
    }
    assert_false(ok);
}

LOADED_TEST(test_objects)
{
    cJSON *module = load("pace");
    cJSON *reply = ask(message_new("objects"));
    const cJSON *item;
    bool found = false;
    assert_true(message_true(reply, "ok"));
    assert_string_equal(message_text(reply, "version"), simdbench_version.number);
    cJSON_ArrayForEach (item, cJSON_GetObjectItemCaseSensitive(reply, "objects")) {
        const char *path = message_text(item, "path");
        assert_non_null(path);
        assert_non_null(message_text(item, "soname"));
        assert_non_null(message_text(item, "build_id"));
        found |= strstr(path, "/pace.so") != NULL;
    }
    assert_true(found);
    cJSON_Delete(reply);
    cJSON_Delete(module);
}
