/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the worker protocol: what one end writes, the other one reads; names of
 * fields are those of docs/protocol.md; what is not there has its default. */
#include "unit.h"
#include "worker/worker.h"

/* The message as the other end gets it. */
static cJSON *sent(cJSON *message)
{
    char *const text = cJSON_PrintUnformatted(message);
    cJSON_Delete(message);
    cJSON *const again = cJSON_Parse(text);
    free(text);
    assert_non_null(again);
    return again;
}

static void expect_text(cJSON *message, const char *expected)
{
    char *const text = cJSON_PrintUnformatted(message);
    assert_string_equal(text, expected);
    free(text);
    cJSON_Delete(message);
}

static const struct answer_places places = {3, 4096, UINT64_MAX - 1, 8192};

/* Fields as foreign workers and older programs know them. */
TEST(test_names)
{
    expect_text(shape_call(&(struct shape_call){"relu", "f32", "8", NULL}),
                "{\"do\":\"shape\",\"op\":\"relu\",\"type\":\"f32\",\"text\":\"8\"}");
    expect_text(fill_call(&(struct inputs_call){"relu", 7, "hard", "zero"}),
                "{\"do\":\"fill\",\"op\":\"relu\",\"seed\":\"7\",\"input\":\"hard\","
                "\"values\":\"zero\"}");
    expect_text(change_call(&(struct inputs_call){"relu", 7, NULL, NULL}),
                "{\"do\":\"change\",\"op\":\"relu\",\"seed\":\"7\"}");
    expect_text(prepare_call(&(struct prepare_call){5, 2, NULL}),
                "{\"do\":\"prepare\",\"kernel\":\"5\",\"threads\":2}");
    expect_text(check_call(&(struct check_call){
                    .number = 1, .places = places, .again = true, .seed = 9}),
                "{\"do\":\"check\",\"case\":\"1\",\"n\":\"3\",\"index\":\"4096\","
                "\"value\":\"18446744073709551614\",\"slack\":\"8192\",\"again\":true,"
                "\"seed\":\"9\",\"accuracy_n\":\"0\"}");
    expect_text(batch_call(&(struct batch_call){.number = 1, .iterations = 2}),
                "{\"do\":\"batch\",\"case\":\"1\",\"iterations\":\"2\",\"cold\":false,"
                "\"probe\":false,\"core_share\":false}");
    expect_text(overhead_call(&(struct overhead_call){true, UINT64_MAX}),
                "{\"do\":\"overhead\",\"cold\":true}");
    expect_text(team_call(&(struct team_call){4}), "{\"do\":\"team\",\"threads\":4}");
    expect_text(step_call(&(struct step_call){1, 2, {.index = UINT64_MAX}}),
                "{\"do\":\"step\",\"case\":\"1\",\"calls\":\"2\"}");
    expect_text(copies_call(&(struct copies_call){.number = 1, .n = 4, .shift = 3}),
                "{\"do\":\"copies\",\"case\":\"1\",\"n\":\"4\",\"shift\":\"3\"}");
    expect_text(copies_call(&(struct copies_call){.number = 1, .n = 4, .edits = 2}),
                "{\"do\":\"copies\",\"case\":\"1\",\"n\":\"4\",\"edits\":\"2\"}");
    cJSON *const reply = cJSON_CreateObject();
    prepare_reply_add(reply,
                      &(struct prepare_reply){.number = 3, .ops = NAN, .bytes = 8});
    expect_text(reply, "{\"case\":3,\"prepare_ns\":0,\"bytes\":8,"
                       "\"workspace_bytes\":\"0\"}");
}

TEST(test_requests)
{
    struct reference_call written = {.op = "gemm",
                                     .semiring = "max",
                                     .seed = UINT64_MAX,
                                     .full = true,
                                     .ops = 2.5,
                                     .places = places};
    struct reference_call read;
    cJSON *const request = sent(reference_call(&written));
    assert_int_equal(reference_call_read(request, &read), 0);
    assert_string_equal(read.op, "gemm");
    assert_string_equal(read.semiring, "max");
    assert_true(read.seed == UINT64_MAX && read.full);
    assert_near(read.ops, 2.5, 0);
    assert_memory_equal(&read.places, &places, sizeof places);
    cJSON_Delete(request);
}

TEST(test_defaults)
{
    cJSON *const empty = cJSON_CreateObject();
    struct check_call check;
    struct batch_call batch;
    struct prepare_reply prepared;
    struct batch_reply told;
    struct batch_count count;
    struct map_reply mapped;
    assert_int_equal(check_call_read(empty, &check), 0);
    assert_true(check.number == UINT64_MAX && check.places.index == UINT64_MAX);
    assert_int_equal(check.accuracy_n, ACCURACY_OUTPUTS);
    assert_int_equal(batch_call_read(empty, &batch), 0);
    assert_true(batch.number == UINT64_MAX && !batch.iterations && !batch.regions);
    prepare_reply_read(empty, &prepared);
    assert_true(prepared.number == UINT64_MAX && isnan(prepared.ops) && !prepared.roof);
    batch_reply_read(empty, &told);
    assert_true(isnan(told.process_ns) && told.waited_ns < 0 && told.core_split < 0);
    batch_count_read(empty, &count);
    assert_true(isnan(count.value) && !count.absent);
    assert_near(count.running_share, 1, 0);
    map_reply_read(NULL, &mapped);
    assert_near(mapped.huge_bytes, -1, 0);
    cJSON_Delete(empty);
}

/* Numbers may be texts, as other programs write them. */
TEST(test_other_spelling)
{
    struct batch_call batch;
    cJSON *const request = cJSON_Parse("{\"case\": 4, \"iterations\": \"9\","
                                       " \"cold\": 1, \"unknown\": []}");
    assert_int_equal(batch_call_read(request, &batch), 0);
    assert_int_equal(batch.number, 4);
    assert_int_equal(batch.iterations, 9);
    assert_false(batch.cold);
    cJSON_Delete(request);
}

TEST(test_map)
{
    struct map_call written = {
        .bytes = 1 << 20, .block = 4096, .threads = 3, .huge = true};
    struct map_call read;
    written.dims.rank = 2;
    written.dims.dim[0] = 8;
    written.dims.dim[1] = 16;
    written.operands.count = 1;
    written.operands.operand[0] = (struct simdbench_operand){
        .type = SIMDBENCH_F32, .role = SIMDBENCH_IN, .count = 8};
    written.operands.offset[0] = 64;
    cJSON *request = sent(map_call(&written));
    assert_int_equal(map_call_read(request, &read), 0);
    assert_int_equal(read.dims.dim[1], 16);
    assert_int_equal(read.operands.offset[0], 64);
    assert_true(read.huge && !read.private && read.threads == 3);
    cJSON_DeleteItemFromObject(request, "dims");
    assert_int_equal(map_call_read(request, &read), -EPROTO);
    cJSON_Delete(request);
}

TEST(test_setup)
{
    struct setup_call written = {
        .cpu = {3, 1}, .n_cpu = 2, .event = {"cycles"}, .n_events = 1};
    struct setup_call read;
    cJSON *request = sent(setup_call(&written));
    setup_call_read(request, &read);
    assert_true(read.n_cpu == 2 && read.cpu[0] == 3 && read.cpu[1] == 1);
    assert_int_equal(read.n_events, 1);
    assert_string_equal(read.event[0], "cycles");
    cJSON_AddItemToArray(message_get(request, "events"), cJSON_CreateNumber(5));
    setup_call_read(request, &read);
    assert_true(read.n_events > EVENTS_MAX);
    cJSON_Delete(request);
}

TEST(test_load)
{
    const struct simdbench_option option = {.name = "core", .value = "zen"};
    struct simdbench_option room[1];
    struct load_call read;
    cJSON *request = sent(load_call(&(struct load_call){
        .path = "m.so", .option = &option, .n = 1, .enclosed = true, .right = true}));
    assert_true(load_call_read(request, room, 1, &read));
    assert_string_equal(read.path, "m.so");
    assert_string_equal(read.option[0].value, "zen");
    assert_true(read.enclosed && read.right);
    assert_false(load_call_read(request, room, 0, &read));
    cJSON_Delete(request);
}
