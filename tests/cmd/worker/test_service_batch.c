/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of long calls, and batches and checks of copies, in a service of this process.
 */
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "page_faults.h"
#include "unit.h"
#include "worker/service/service.h"

enum { ELEMENTS = 100, ANSWERS_AT = 1 << 16, MEMORY_BYTES = 1 << 17 };
static struct service *service;

static cJSON *ask(cJSON *request)
{
    cJSON *reply = service_handle(service, request);
    cJSON_Delete(request);
    return reply;
}

static void must_do(cJSON *request)
{
    cJSON *reply = ask(request);
    if (!message_true(reply, "ok"))
        fail_msg("%s", message_text(reply, "error"));
    cJSON_Delete(reply);
}

/* The case number of a row of relu, whose operands and answers are there. */
static uint64_t prepare(const char *isa, const char *variant)
{
    const struct simdbench_kernel *const *kernel = kernel_list();
    struct prepare_reply told;
    uint64_t number = 0;
    while (kernel[number] &&
           (strcmp(kernel[number]->op, "relu") || kernel[number]->type != SIMDBENCH_F32 ||
            strcmp(kernel[number]->isa, isa) || strcmp(kernel[number]->variant, variant)))
        number++;
    assert_non_null(kernel[number]);
    cJSON *reply = ask(prepare_call(&(struct prepare_call){.kernel = number}));
    prepare_reply_read(reply, &told);
    cJSON_Delete(reply);
    assert_int_not_equal(told.number, UINT64_MAX);
    return told.number;
}

static const struct answer_places places = {.n = ELEMENTS,
                                            .index = UINT64_MAX,
                                            .value = ANSWERS_AT,
                                            .slack = ANSWERS_AT + 8 * ELEMENTS};

static void ask_reference(void)
{
    must_do(reference_call(
        &(struct reference_call){.op = "relu", .full = true, .places = places}));
}

static void map_operands(void)
{
    struct map_call map = {.bytes = MEMORY_BYTES, .block = ANSWERS_AT, .threads = 1};
    struct simdbench_shape shape;
    char text[64];
    const struct simdbench_op *const op = op_find("relu");
    snprintf(text, sizeof text, "%d", ELEMENTS);
    assert_int_equal(op->parse(text, &shape, text, sizeof text), 0);
    assert_int_equal(
        operands_place(op, &shape, SIMDBENCH_F32, 64, 1, &map.operands, NULL), 0);
    assert_true(map.operands.bytes <= ANSWERS_AT);
    map.dims = shape;
    must_do(map_call(&map));
    must_do(fill_call(&(struct inputs_call){.op = "relu", .seed = 3}));
    ask_reference();
}

static cJSON *batch(uint64_t number, uint64_t copy)
{
    return batch_call(
        &(struct batch_call){.number = number, .iterations = 10, .copy = copy});
}

static void refuse(cJSON *request, const char *why)
{
    cJSON *reply = ask(request);
    assert_false(message_true(reply, "ok"));
    if (!strstr(message_text(reply, "error"), why))
        fail_msg("'%s' is not '%s'", message_text(reply, "error"), why);
    cJSON_Delete(reply);
}

static void need_traces(void)
{
    const char *const preload = getenv("LD_PRELOAD");
    if ((preload && strstr(preload, "vgpreload")) || inspect_available(NULL, NULL) < 0)
        skip();
}

/* As built and all copies compute what is right, and other cases run beside. */
TEST(test_copies)
{
    struct copies_reply told;
    need_traces();
    map_operands();
    const uint64_t number = prepare("scalar", "branch");
    const uint64_t other = prepare("sse2", "max");
    cJSON *reply =
        ask(copies_call(&(struct copies_call){.number = number, .n = 4, .shift = 3}));
    copies_reply_read(reply, &told);
    if (!message_true(reply, "ok"))
        fail_msg("%s", message_text(reply, "error"));
    assert_int_equal(told.n, 4);
    assert_int_equal(told.functions, 1);
    assert_int_equal(told.left, 0);
    assert_true(told.whole);
    assert_near(told.share, 1, 0);
    assert_null(told.why_left);
    assert_null(told.code);
    cJSON_Delete(reply);
    for (uint64_t copy = 0; copy <= 4; copy++) {
        must_do(check_call(
            &(struct check_call){.number = number, .places = places, .copy = copy}));
        must_do(batch(number, copy));
        must_do(batch(other, 0));
        assert_true(service->cases[number].run == service->cases[number].kernel->run);
    }
    must_do(batch(number, 2));
    const uintptr_t run = (uintptr_t)service->cases[number].run;
    assert_int_equal((run - (uintptr_t)service->cases[number].kernel->run) % 64, 3 + 16);
    /* A declared function may be what is right, too: it is as built then. */
    ask_reference();
    assert_true(service->cases[number].run == service->cases[number].kernel->run);
    refuse(batch(number, 5), "the case has no copy 5");
    refuse(batch(other, 1), "the case has no copy 1");
    refuse(copies_call(&(struct copies_call){.number = number, .n = 65}),
           "more than 64 copies");
    refuse(copies_call(&(struct copies_call){.number = 99, .n = 1}), "no such case");
    /* New ones take the place of the old ones. */
    reply =
        ask(copies_call(&(struct copies_call){.number = number, .n = 1, .code = true}));
    copies_reply_read(reply, &told);
    assert_non_null(told.code);
    assert_int_equal(strncmp(told.code, "function\n", 9), 0);
    refuse(batch(number, 2), "the case has no copy 2");
    assert_in_range(told.loop_bytes, 8, 200);
    assert_in_range(told.offset, 0, 63);
    assert_non_null(told.executed);
    /* Findings of a trace serve other processes of the same files. */
    const struct copies_call again = {
        .number = number, .n = 2, .executed = told.executed};
    cJSON *const second = ask(copies_call(&again));
    struct copies_reply known;
    copies_reply_read(second, &known);
    assert_int_equal(known.functions, told.functions);
    assert_int_equal(known.bytes, told.bytes);
    assert_true(isnan(known.share));
    must_do(batch(number, 2));
    cJSON_Delete(second);
    cJSON_Delete(reply);
    refuse(copies_call(&(struct copies_call){
               .number = number, .n = 1, .executed = "no/such\n10 \n"}),
           "no/such is not loaded");
}

static void work_once(const struct simdbench_operands *operands, void *unused)
{
    for (volatile float *const sum = operands->operand[1]->data; *sum < 1000;)
        *sum += 1;
}

/* Each traced call has the data of the first, also if code is copied; objects have not,
 * unless the row says so. */
TEST(test_traced_data)
{
    need_traces();
    map_operands();
    struct service_case *const entry =
        service_find_case(service, prepare("scalar", "max"));
    const struct simdbench_kernel *const built = entry->kernel;
    struct simdbench_kernel resets = *built;
    struct simdbench_operand *const out = &service->operands.operand[1];
    const struct simdbench_operand before = *out;
    struct copies_reply told;
    entry->run = entry->built = work_once;
    out->role = SIMDBENCH_INOUT;
    out->source = 0;
    cJSON *reply = ask(copies_call(
        &(struct copies_call){.number = (uint64_t)(entry - service->cases), .n = 1}));
    copies_reply_read(reply, &told);
    assert_true(told.loop_bytes > 0);
    cJSON_Delete(reply);
    assert_non_null(service_traced(entry, &service->operands).before);
    out->type = SIMDBENCH_BYTES(16);
    assert_null(service_traced(entry, &service->operands).before);
    resets.flags |= SIMDBENCH_RESETS;
    entry->kernel = &resets;
    assert_non_null(service_traced(entry, &service->operands).before);
    entry->kernel = built;
    *out = before;
}

static int calls;

static void count(const struct simdbench_operands *operands, void *unused)
{
    calls++;
}

/* After a call of a second no batch has another call before it. A call is of 800 bytes.
 */
TEST(test_long_calls)
{
    static const char *const ns_of_byte[] = {"1.2e6", "1.3e6", "1"};
    map_operands();
    const uint64_t number = prepare("scalar", "max");
    struct service_case *const entry = service_find_case(service, number);
    entry->run = entry->built = count;
    for (int i = 0; i < 6; i++) {
        setenv("SIMDBENCH_TEST_CLOCK", ns_of_byte[i / 2], 1);
        must_do(batch_call(&(struct batch_call){.number = number, .iterations = 1}));
        assert_int_equal(calls, i < 3 ? 2 * i + 2 : i + 4);
    }
    unsetenv("SIMDBENCH_TEST_CLOCK");
}

static long faults_of_calls;

/* Takes the page of its input away again, so that only the next reading faults. */
static void read_input(const struct simdbench_operands *operands, void *unused)
{
    unsigned char *const input = operands->operand[0]->data;
    const long before = page_faults();
    (void)*(volatile unsigned char *)input;
    faults_of_calls += page_faults() - before;
    madvise((void *)((uintptr_t)input & ~UINT64_C(4095)), 4096, MADV_DONTNEED);
}

/* Each batch reads the operands before its first call: calls may leave them where other
 * processes pushed them to. */
TEST(test_operands_are_near)
{
    if (sysconf(_SC_LEVEL2_CACHE_SIZE) <= 0)
        skip();
    map_operands();
    const uint64_t number = prepare("scalar", "max");
    struct batch_call call = {.number = number, .iterations = 1};
    service->cases[number].run = service->cases[number].built = read_input;
    for (int i = 0; i < 3; i++) {
        must_do(batch_call(&call));
        assert_int_equal(faults_of_calls, i + 1); /* of the second call alone */
    }
    call.cold = true;
    must_do(batch_call(&call));
    assert_true(faults_of_calls > 3);
}

static int policy;

static void note_policy(const struct simdbench_operands *operands, void *state)
{
    policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

/* The first batch tells that no other thread helps; from the second on, calls run before
 * other programs, where they may. In a process that is enclosed nothing changes. */
TEST(test_priority)
{
    map_operands();
    const uint64_t number = prepare("scalar", "branch");
    const bool may = priority_raise();
    if (may)
        priority_drop();
    service->cases[number].run = note_policy;
    for (int i = 0; i < 4; i++) {
        service->enclosed = i == 2;
        must_do(batch(number, 0));
        assert_int_equal(policy, may && i % 2 ? SCHED_FIFO : SCHED_OTHER);
        assert_int_equal(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
    }
    service->cases[number].takes_turns = true;
    must_do(batch(number, 0));
    assert_int_equal(policy, SCHED_OTHER);
}

/* Long batches take turns with other programs. A call is of 800 bytes. */
TEST(test_turns)
{
    static const char *const ns_of_byte[] = {"1e5", "2e5", "1"};
    map_operands();
    const uint64_t number = prepare("scalar", "max");
    for (int i = 0; i < 3; i++) {
        setenv("SIMDBENCH_TEST_CLOCK", ns_of_byte[i], 1);
        must_do(batch_call(&(struct batch_call){.number = number, .iterations = 1}));
        assert_int_equal(service->cases[number].takes_turns, i > 0);
    }
    unsetenv("SIMDBENCH_TEST_CLOCK");
}

static int make(void **state)
{
    struct error error = {.text = ""};
    const int fd = memfd_create("operands", 0);
    return fd < 0 || ftruncate(fd, MEMORY_BYTES) < 0
               ? -1
               : service_new(&service, NULL, NULL, 0, fd, &error);
}

static int drop(void **state)
{
    service_free(service);
    return 0;
}

TESTS_BETWEEN(make, drop)
