/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of instructions are kept in a file, and made up for tests. */
#include "costs/costs.h"
#include "file_tree.h"
#include "worker/worker.h"

enum { RATES_MOST = 128 };
static char root[64];

static int begin(void **state)
{
    strcpy(root, "/tmp/simdbench-costs-XXXXXX");
    unsetenv("SIMDBENCH_TEST_COSTS");
    return mkdtemp(root) && setenv("XDG_CACHE_HOME", root, 1) == 0 ? 0 : -1;
}

static int end(void **state)
{
    return tree_remove(root);
}

static void make_form(const unsigned char *code, struct passport_form *form)
{
    assert_int_equal(passport_form(code, PASSPORT_CODE, form), 0);
}

static const unsigned char vaddps[PASSPORT_CODE] = {0xc5, 0xf4, 0x58, 0xc2};
static const unsigned char hlt[PASSPORT_CODE] = {0xf4};

TEST(test_values)
{
    struct passport from = {.known = true,
                            .throughput = 0.50049,
                            .units = 5,
                            .steps = 3,
                            .n_links = 2},
                    to;
    from.link[0] = (struct passport_link){.from = 1, .to = 0, .cycles = 1, .full = 2};
    from.link[1] = (struct passport_link){
        .from = 2, .address = true, .cycles = 8.25f, .full = 8.25f};
    cJSON *const value = cost_json(&from);
    assert_true(cost_read(value, &to));
    assert_true(to.known && to.n_links == 2 && to.units == 5 && to.steps == 3);
    assert_near(to.throughput, 0.5, 1e-9);
    assert_true(to.link[0].from == 1 && !to.link[0].address && to.link[0].full == 2);
    assert_true(to.link[1].address && to.link[1].cycles == 8.25f);
    cJSON_Delete(value);
    from = (struct passport){.reason = "it is privileged"};
    cJSON *const reason = cost_json(&from);
    assert_true(cost_read(reason, &to));
    assert_false(to.known);
    assert_string_equal(to.reason, "it is privileged");
    cJSON_Delete(reason);
}

/* A file that somebody else wrote is measured again. */
TEST(test_bad_values)
{
    static const char *const texts[] = {
        "null",
        "[]",
        "{}",
        "{\"throughput\": -1, \"units\": 0, \"steps\": 1}",
        "{\"throughput\": 1, \"links\": []}",
        "{\"throughput\": 1, \"units\": 8, \"steps\": 1, \"links\": []}",
        "{\"throughput\": 1, \"units\": 0, \"links\": []}",
        "{\"throughput\": \"1\", \"units\": 0, \"steps\": 1}",
        "{\"throughput\": 1e300, \"units\": 0, \"steps\": 1}",
        "{\"throughput\": 1, \"units\": 0, \"steps\": 1, \"links\": [1]}",
        "{\"throughput\": 1, \"units\": 0, \"steps\": 1, \"links\": [[0, 99, 0, 1, 1]]}",
        "{\"throughput\": 1, \"units\": 0, \"steps\": 1, \"links\": [[0, 0, 0, -1, 1]]}",
        "{\"throughput\": 1, \"units\": 0, \"steps\": 1, \"links\": [[0, 0, 0, 1]]}"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct passport passport;
        cJSON *const value = cJSON_Parse(texts[i]);
        assert_false(cost_read(value, &passport));
        cJSON_Delete(value);
    }
}

/* Values that an older program measured count no more: their member has another name. */
TEST(test_older)
{
    struct passport_form form;
    struct passport passport;
    struct error error = {.text = ""};
    /* Valgrind runs the program, not the CPU: nothing can be measured there. */
    const char *const preload = getenv("LD_PRELOAD");
    if (preload && strstr(preload, "vgpreload"))
        skip();
    make_form(hlt, &form);
    cJSON *const hosts = host_file_load("instructions.json");
    /* The last of them timed SSE without VEX beside nothing. */
    static const char *const older[] = {"measured", "measured by 5"};
    for (size_t i = 0; i < ARRAY_LEN(older); i++)
        cJSON_AddItemToObject(
            cJSON_AddObjectToObject(host_file_make(hosts, "older"), older[i]), form.name,
            cost_json(&(struct passport){.reason = "because"}));
    host_file_save("instructions.json", hosts);
    struct costs *const costs = costs_open("older");
    assert_int_equal(costs_of(costs, &form, 1, false, NULL, NULL, &passport, &error), 0);
    assert_false(passport.known);
    assert_string_not_equal(passport.reason, "because");
    costs_close(costs);
}

/* A form that must not run has its reason without any measuring. */
TEST(test_kept)
{
    struct passport_form forms[2];
    struct passport passports[2];
    struct error error = {.text = ""};
    make_form(vaddps, &forms[0]);
    make_form(hlt, &forms[1]);
    cJSON *hosts = host_file_load("instructions.json");
    cJSON *const kept =
        cJSON_AddObjectToObject(host_file_make(hosts, "here"), COSTS_MEMBER);
    cJSON_AddItemToObject(
        kept, forms[0].name,
        cost_json(&(struct passport){.known = true, .throughput = 3, .steps = 1}));
    cJSON_AddItemToObject(kept, forms[1].name,
                          cost_json(&(struct passport){.reason = "because"}));
    host_file_save("instructions.json", hosts);
    struct costs *const costs = costs_open("here");
    assert_int_equal(costs_of(costs, forms, 2, false, NULL, NULL, passports, &error), 0);
    assert_true(passports[0].known && passports[0].throughput == 3);
    assert_string_equal(passports[1].reason, "because");
    costs_close(costs);
    /* Another host knows nothing of it. */
    hosts = host_file_load("instructions.json");
    assert_non_null(host_file_find(hosts, "here"));
    assert_null(host_file_find(hosts, "there"));
    cJSON_ReplaceItemInObject(host_file_find(hosts, "here"), "boot",
                              cJSON_CreateString("before"));
    assert_null(host_file_find(hosts, "here"));
    cJSON_Delete(hosts);
}

TEST(test_made_up)
{
    struct passport_form form;
    struct passport passport;
    struct inspect_cost cost[2];
    make_form(vaddps, &form);
    setenv("SIMDBENCH_TEST_COSTS", "vpcompress*=70,vadd*=9", 1);
    struct costs *const costs = costs_open("here");
    assert_int_equal(costs_of(costs, &form, 1, true, NULL, NULL, &passport, NULL), 0);
    assert_true(passport.known && passport.throughput == 9);
    assert_true(passport.n_links == 2 && passport.link[0].cycles == 9);
    struct inspect_code code[2] = {{.n = 4}, {.n = 1}};
    memcpy(code[0].bytes, vaddps, 4);
    memcpy(code[1].bytes, hlt, 1);
    costs_of_code(costs, code, 2, cost);
    assert_true(cost[0].known && cost[0].throughput == 9 && cost[0].n_links == 2);
    assert_string_equal(cost[0].form, "vaddps ymm, ymm, ymm");
    assert_false(cost[1].known);
    costs_close(costs);
    unsetenv("SIMDBENCH_TEST_COSTS");
}

/* The median of what was alone on the core takes the place of what was not. */
TEST(test_rates_of_a_core)
{
    enum { RUNS = 12 };
    double value[RATES_MOST];
    bool alone[RATES_MOST];
    assert_in_range(core_rate_count(), 1, RATES_MOST);
    for (int run = 0; run < RUNS; run++) {
        struct costs *const costs = costs_open("here");
        for (size_t i = 0; i < core_rate_count(); i++) {
            value[i] = run;
            alone[i] = run != 3;
        }
        costs_of_core(costs, 1, value, alone);
        /* 0; 0, 1; 0, 1, 2; those and not 3; ... and the last nine. */
        static const double medians[2][RUNS] = {{0, 1, 1, 1, 2, 2, 4, 4, 5, 5, 6, 7},
                                                {0, 0, 1, 1, 1, 2, 2, 4, 4, 5, 6, 7}};
        for (size_t i = 0; i < core_rate_count(); i++)
            assert_true(value[i] == medians[core_rate_name(i)[0] == 'c'][run]);
        value[0] = 100;
        costs_of_core(costs, 0, value, (const bool[RATES_MOST]){false});
        assert_true(value[0] == 100);
        costs_close(costs);
    }
}

TESTS_BETWEEN(begin, end)
