/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "doctor.h"

/* A machine with nothing to complain about. */
static const struct host good_host = {
    .cpu = "Example CPU",
    .vendor = "GenuineIntel",
    .family = 6,
    .model = 85,
    .stepping = 4,
    .cpus = 4,
    .cores = 4,
    .sockets = 1,
    .numa_nodes = 1,
    .smt = 0,
    .cache = {{1, 'd', 32768, 64, 8, 1}, {3, 'u', 33554432, 64, 16, 4}},
    .caches = 2,
    .memory = 8ull << 30,
    .kernel = "6.1.0",
    .os = "Debian",
    .virtualisation = "none",
    .governor = "performance",
    .turbo = "off",
    .thp = "madvise",
    .aslr = 2,
    .perf_paranoid = 2,
    .nmi_watchdog = 0,
    .tsc_ghz = 2.5,
    .clocksource = "tsc",
    .pmu = PMU_OK,
    .pmu_name = "skx",
    .fingerprint = "0123456789abcdef",
};
static const struct vitals good_vitals = {
    .resolution_ns = 1,
    .cost_ns = 25,
    .ghz = 2.5,
    .ghz_imul = 2.51,
    .watched_s = 0.2,
    .memory_available = 4ull << 30,
    .cpu = {0, 2, 3, 4},
    .n_cpu = 4,
};

static const struct check *find(const struct checks *checks, const char *name)
{
    for (size_t i = 0; i < checks->n; i++)
        if (strcmp(checks->check[i].name, name) == 0)
            return &checks->check[i];
    fail_msg("no check %s", name);
    return NULL;
}

static void test_good(void **state)
{
    (void)state;
    struct checks checks = {0};
    checks_host(&checks, &good_host, &good_vitals);
    for (size_t i = 0; i < checks.n; i++)
        if (checks.check[i].why[0])
            fail_msg("%s: %s", checks.check[i].name, checks.check[i].why);
    assert_int_equal(checks_warnings(&checks), 0);
    assert_string_equal(find(&checks, "allowed CPUs")->value, "0,2-4");
    assert_string_equal(find(&checks, "caches")->value,
                        "L1d 32 KiB, L3 32 MiB for 4 CPUs");
    assert_string_equal(find(&checks, "memory")->value, "8.0 GiB, 4.0 available");
    assert_string_equal(find(&checks, "PMU")->value, "counters work (events of skx)");
    assert_string_equal(find(&checks, "clock / TSC")->value, "1.00 (TSC 2.500 GHz)");
}

/* Each thing that can be wrong, alone, gives one warning, under its name. */
static void test_each_warning(void **state)
{
    (void)state;
#define WARNS(name, typed, change)                             \
    {                                                          \
        struct host host = good_host;                          \
        struct vitals vitals = good_vitals;                    \
        struct checks checks = {0};                            \
        change;                                                \
        checks_host(&checks, &host, &vitals);                  \
        assert_int_equal(checks_warnings(&checks), 1);         \
        const struct check *const check = find(&checks, name); \
        assert_true(check->why[0] != '\0');                    \
        assert_non_null(strstr(check->advice, typed));         \
    }
    WARNS("topology", "numactl", host.numa_nodes = 2)
    WARNS("allowed CPUs", "taskset", vitals.n_cpu = 1)
    WARNS("memory", "free", vitals.memory_available = 1 << 20)
    WARNS("PMU", "", host.pmu = PMU_NO_HARDWARE)
    WARNS("PMU", "", host.pmu = PMU_FORBIDDEN)
    WARNS("perf_event_paranoid", "perf_event_paranoid=2", host.perf_paranoid = 3)
    WARNS("NMI watchdog", "nmi_watchdog=0", host.nmi_watchdog = 1)
    WARNS("timer", "clocksource", vitals.cost_ns = 900)
    WARNS("clock", "doctor", vitals.ghz_imul = 2.4)
    WARNS("clock / TSC", "cpupower", host.tsc_ghz = 3.5)
    WARNS("governor", "performance", strcpy(host.governor, "powersave"))
    WARNS("turbo", "no_turbo", strcpy(host.turbo, "on"))
    WARNS("turbo", "boost", strcpy(host.turbo, "on"); strcpy(host.vendor, "AuthenticAMD"))
    WARNS("SMT", "smt/control", host.smt = 1)
    WARNS("huge pages", "madvise", strcpy(host.thp, "never"))
    WARNS("virtualisation", "", strcpy(host.virtualisation, "kvm"))
    WARNS("load", "top", host.load[0] = 1.5)
    WARNS("steal", "", vitals.stolen_s = 0.01)
#undef WARNS
}

static void test_nothing_told(void **state)
{
    (void)state;
    const struct host host = {
        .family = -1,
        .smt = -1,
        .aslr = -1,
        .perf_paranoid = -1,
        .nmi_watchdog = -1,
        .pmu = PMU_UNKNOWN,
    };
    const struct vitals vitals = {.stolen_s = -1};
    struct checks checks = {0};
    checks_host(&checks, &host, &vitals);
    assert_int_equal(checks_warnings(&checks), 1);
    assert_true(find(&checks, "PMU")->why[0] != '\0');
    static const char *const silent[] = {"SMT",      "ASLR",   "NMI watchdog",
                                         "governor", "turbo",  "steal",
                                         "clock",    "caches", "huge pages"};
    for (size_t i = 0; i < ARRAY_LEN(silent); i++)
        assert_string_equal(find(&checks, silent[i])->value, "not told");
}

static void test_isas(void **state)
{
    (void)state;
    struct checks checks = {0};
    checks_isas(&checks);
    assert_int_equal(checks.n, isa_count());
    assert_string_equal(find(&checks, "ISA scalar")->value, "available");
}

static void test_print(void **state)
{
    (void)state;
    struct checks checks = {.n = 2};
    strcpy(checks.check[0].name, "one");
    strcpy(checks.check[0].value, "a\033b");
    strcpy(checks.check[1].name, "two");
    strcpy(checks.check[1].value, "bad");
    strcpy(checks.check[1].why, "it hurts");
    strcpy(checks.check[1].advice, "stop");

    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    checks_print(&checks, false, file);
    fclose(file);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "  ok\n"));
    assert_non_null(strstr(text, "  warning: it hurts -> stop\n"));
    assert_non_null(strstr(text, "1 warning of 2 checks\n"));
    free(text);

    file = open_memstream(&text, &size);
    checks_print(&checks, true, file);
    fclose(file);
    assert_non_null(strstr(text, "\033[33mwarning\033[0m: it hurts"));
    free(text);

    file = open_memstream(&text, &size);
    assert_int_equal(checks_print_json(&checks, file), 0);
    fclose(file);
    cJSON *const json = cJSON_Parse(text);
    free(text);
    assert_int_equal(cJSON_GetArraySize(json), 2);
    const cJSON *const one = cJSON_GetArrayItem(json, 0);
    const cJSON *const two = cJSON_GetArrayItem(json, 1);
    assert_string_equal(cJSON_GetObjectItem(one, "value")->valuestring, "a\033b");
    assert_string_equal(cJSON_GetObjectItem(one, "state")->valuestring, "ok");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(one, "advice")));
    assert_string_equal(cJSON_GetObjectItem(two, "state")->valuestring, "warning");
    assert_string_equal(cJSON_GetObjectItem(two, "reason")->valuestring, "it hurts");
    assert_string_equal(cJSON_GetObjectItem(two, "advice")->valuestring, "stop");
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),         cmocka_unit_test(test_each_warning),
        cmocka_unit_test(test_nothing_told), cmocka_unit_test(test_isas),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
