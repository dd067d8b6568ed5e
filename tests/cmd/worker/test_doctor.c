/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>

#include "doctor/doctor_private.h"
#include "file_tree.h"
#include "unit.h"

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
    .thp_shmem = "never",
    .aslr = 2,
    .perf_paranoid = 2,
    .nmi_watchdog = 0,
    .tsc_ghz = 2.5,
    .clocksource = "tsc",
    .pmu = PMU_OK,
    .pmu_name = "skx",
    .fingerprint = "0123456789abcdef"};
static const struct vitals good_vitals = {.resolution_ns = 1,
                                          .cost_ns = 25,
                                          .ghz = 2.5,
                                          .ghz_imul = 2.51,
                                          .watched_s = 0.2,
                                          .memory_available = 4ull << 30,
                                          .cpu = {0, 2, 3, 4},
                                          .n_cpu = 4,
                                          .probed_cpu = 4,
                                          .siblings = "4",
                                          .sources = "tsc hpet acpi_pm",
                                          .core_share = 3.99,
                                          .full_core_share = 4,
                                          .lost = 0.01,
                                          .probes = 1000,
                                          .core_shared = 20,
                                          .perf_exists = true,
                                          .rdpmc = 1,
                                          .same_addresses = true,
                                          .runs_first = true,
                                          .files = 1024};

static const struct check *find(const struct checks *checks, const char *name)
{
    for (size_t i = 0; i < checks->n; i++)
        if (strcmp(checks->check[i].name, name) == 0)
            return &checks->check[i];
    fail_msg("no check %s", name);
    return NULL;
}

TEST(test_good)
{
    struct checks checks = {0};
    checks_host(&checks, &good_host, &good_vitals);
    for (size_t i = 0; i < checks.n; i++)
        if (checks.check[i].costs[0])
            fail_msg("%s: %s", checks.check[i].name, checks.check[i].costs);
    assert_int_equal(checks_ok(&checks), checks.n);
    assert_string_equal(find(&checks, "allowed CPUs")->value, "0,2-4");
    assert_string_equal(find(&checks, "caches")->value,
                        "L1d 32 KiB, L3 32 MiB for 4 CPUs");
    assert_string_equal(find(&checks, "memory")->value, "8.0 GiB, 4.0 available");
    assert_string_equal(find(&checks, "PMU")->value, "counters work (events of skx)");
    assert_string_equal(find(&checks, "clock / TSC")->value, "1.00 (TSC 2.500 GHz)");
    assert_string_equal(
        find(&checks, "core sharing")->value,
        "CPU 4: 20 of 1000 probes had company, 3.99 of 4 adds a cycle at best, 1% lost");
}

/* Judges the good machine after a change to `host` or `vitals`. */
#define JUDGE(expect, line, text, change)     \
    {                                         \
        struct host host = good_host;         \
        struct vitals vitals = good_vitals;   \
        struct checks checks = {0};           \
        change;                               \
        checks_host(&checks, &host, &vitals); \
        expect(&checks, line, text);          \
    }
#define COSTS(line, typed, change) JUDGE(expect_cost, line, typed, change)
#define OK(line, what, change) JUDGE(expect_ok, line, what, change)

static void expect_cost(const struct checks *checks, const char *line, const char *typed)
{
    const struct check *const check = find(checks, line);
    if (checks_ok(checks) != checks->n - 1 || !check->costs[0] || !check->advice[0] ||
        !strstr(check->advice, typed))
        fail_msg("%s: '%s', '%s', not '%s'; %d of %d are ok", line, check->costs,
                 check->advice, typed, (int)checks_ok(checks), (int)checks->n);
}

static void expect_ok(const struct checks *checks, const char *line, const char *what)
{
    const struct check *const check = find(checks, line);
    if (checks_ok(checks) != checks->n || !strstr(check->value, what))
        fail_msg("%s: '%s', not '%s'; %d of %d are ok", line, check->value, what,
                 (int)checks_ok(checks), (int)checks->n);
}

/* Each thing that can be wrong, alone, costs something in one line, which says what to
 * type. */
TEST(test_each_cost)
{
    COSTS("topology", "numactl", host.numa_nodes = 2)
    COSTS("allowed CPUs", "taskset", vitals.n_cpu = 1)
    COSTS("memory", "free", vitals.memory_available = 1 << 20)
    COSTS("PMU", "bare metal", host.pmu = PMU_NO_HARDWARE)
    COSTS("PMU", "sudo sysctl x", host.pmu = PMU_FORBIDDEN;
          strcpy(host.pmu_reason, "it is so; type: sudo sysctl x"))
    COSTS("user-space reads", "devices/cpu/rdpmc", vitals.rdpmc = 0)
    COSTS("user-space reads", "perf_user_access=1", vitals.rdpmc = 0;
          strcpy(host.vendor, "ARM"))
    COSTS("perf_event_paranoid", "perf_event_paranoid=2", host.perf_paranoid = 3)
    COSTS("perf_event_paranoid", "PERF_EVENTS", vitals.perf_exists = false)
    COSTS("seccomp", "PERFMON", vitals.seccomp = 2; vitals.perf_errno = EPERM)
    COSTS("seccomp", "PERFMON", vitals.seccomp = 2; vitals.perf_errno = ENOSYS)
    COSTS("seccomp", "sudo simdbench", vitals.perf_errno = EPERM)
    COSTS("NMI watchdog", "quiet.sh", host.nmi_watchdog = 1)
    COSTS("priority", "--rtprio=1", vitals.runs_first = false)
    COSTS("open files", "ulimit -n", vitals.files = 64)
    COSTS("clocksource", "echo tsc", strcpy(host.clocksource, "hpet"))
    COSTS("clocksource", "tsc=reliable", strcpy(host.clocksource, "acpi_pm");
          strcpy(vitals.sources, "hpet acpi_pm"))
    COSTS("timer", "--time-per-case", vitals.cost_ns = 900)
    COSTS("timer", "--time-per-case", vitals.resolution_ns = 4000)
    COSTS("clock", "doctor", vitals.ghz_imul = 2.4)
    COSTS("clock / TSC", "cpupower", host.tsc_ghz = 3.5)
    COSTS("governor", "quiet.sh", strcpy(host.governor, "powersave"))
    COSTS("energy preference", "quiet.sh", strcpy(vitals.preference, "power"))
    COSTS("turbo", "no_turbo", strcpy(host.turbo, "on"))
    COSTS("turbo", "boost", strcpy(host.turbo, "on"); strcpy(host.vendor, "AuthenticAMD"))
    COSTS("SMT", "--smt-off", host.smt = 1)
    COSTS("core sharing", "doctor", vitals.core_shared = 21)
    COSTS("isolated CPUs", "taskset -c 6 ", strcpy(vitals.isolated, "6-7"))
    COSTS("huge pages", "madvise", strcpy(host.thp, "never"))
    COSTS("huge pages, shared", "shmem_enabled", strcpy(host.thp_shmem, "always"))
    COSTS("ASLR", "setarch -R", vitals.same_addresses = false)
    COSTS("virtualisation", "simdbench", strcpy(host.virtualisation, "kvm"))
    COSTS("container", "docker run", vitals.quota = 1.5)
    COSTS("load", "top", host.load[0] = 1.5)
    COSTS("steal", "doctor", vitals.stolen_s = 0.01)
}

/* Facts that look bad and are not. */
TEST(test_each_ok)
{
    OK("perf_event_paranoid", "nothing; root may all", host.perf_paranoid = 4;
       vitals.root = true)
    OK("perf_event_paranoid", "-1: all", host.perf_paranoid = -1)
    OK("seccomp", "lets perf_event_open pass", vitals.seccomp = 2)
    OK("isolated CPUs", "3-5, without ticks: 4", strcpy(vitals.isolated, "1,3-5");
       strcpy(vitals.nohz_full, "4"))
    OK("ASLR", "off", vitals.same_addresses = false; host.aslr = 0)
    OK("container", "podman", strcpy(host.container, "podman"))
    OK("huge pages", "always", strcpy(host.thp, "always"))
    OK("governor", "does not steer", host.governor[0] = '\0')
}

TEST(test_nothing_told)
{
    const struct host host = {.family = -1,
                              .smt = -1,
                              .aslr = -1,
                              .perf_paranoid = -1,
                              .nmi_watchdog = -1,
                              .load = {-1, -1, -1},
                              .pmu = PMU_UNKNOWN};
    const struct vitals vitals = {
        .stolen_s = -1, .seccomp = -1, .rdpmc = -1, .files = 1024, .n_cpu = 1};
    struct checks checks = {0};
    checks_host(&checks, &host, &vitals);
    assert_int_equal(checks_ok(&checks), checks.n - 2);
    assert_int_equal(find(&checks, "priority")->costs[0], '\0'); /* nothing helps */
    assert_true(find(&checks, "PMU")->costs[0] != '\0');
    assert_true(find(&checks, "perf_event_paranoid")->costs[0] != '\0');
    static const char *const silent[] = {
        "SMT",  "ASLR",  "NMI watchdog", "seccomp",    "steal",
        "load", "clock", "caches",       "huge pages", "core sharing"};
    for (size_t i = 0; i < ARRAY_LEN(silent); i++)
        assert_string_equal(find(&checks, silent[i])->value, "not told");
}

TEST(test_isas)
{
    struct checks checks = {0};
    checks_isas(&checks);
    assert_int_equal(checks.n, isa_count() + 1);
    assert_string_not_equal(find(&checks, "ISA additions")->value, "");
    assert_string_equal(find(&checks, "ISA scalar")->value, "available");
}

TEST(test_baselines)
{
    static const struct baseline baseline[] = {
        {"openblas", true, true, "0.3.21", "SkylakeX", "avx512", "", ""},
        {"onednn", true, false, "", "", "", "", "no libdnnl.so.2"},
        {"graphblas", false, false, "", "", "", "", ""},
        {"mkl", true, false, "", "", "", "", "no libmkl_rt.so.3"},
        {"mine", true, true, "", "", "", "core=wide", ""},
        {"other", true, false, "", "", "", "", "it died"}};
    struct checks checks = {0};
    checks_baselines(&checks, baseline, ARRAY_LEN(baseline));
    assert_int_equal(checks.n, ARRAY_LEN(baseline));
    assert_int_equal(checks_ok(&checks), 1);
    assert_string_equal(find(&checks, "baseline openblas")->value,
                        "0.3.21, core SkylakeX, avx512");
    const struct check *const absent = find(&checks, "baseline onednn");
    assert_string_equal(absent->value, "no libdnnl.so.2");
    assert_string_equal(absent->advice, "sudo apt-get install libdnnl2");
    assert_non_null(
        strstr(find(&checks, "baseline graphblas")->advice, "libgraphblas-dev"));
    assert_string_equal(find(&checks, "baseline mkl")->advice,
                        "scripts/setup peers, in the source tree");
    assert_string_equal(find(&checks, "baseline mine")->advice,
                        "simdbench ... --baseline=mine,core=wide");
    assert_true(find(&checks, "baseline other")->advice[0] != '\0');
}

/* ---- what is read ---- */

/* An event that opens need not count. */
TEST(test_proofs)
{
    struct checks checks = {.n = 0};
    struct proofs proofs = {.n = 2, .known = {true, true}};
    proofs.proof[0].verdict = proofs.proof[1].verdict = PROOF_REFUSED;
    checks_proofs(&checks, &proofs);
    assert_int_equal(checks.n, 0);

    proofs.slots = (struct slots){6, 6};
    proofs.proof[0].verdict = PROOF_PROVEN;
    proofs.proof[1].verdict = PROOF_UNPROVEN;
    checks_proofs(&checks, &proofs);
    expect_ok(&checks, "counters alive", "6 of 6");
    expect_ok(&checks, "events proven", "1 of 2, 0 dead, 0 wrong");

    checks.n = 0;
    proofs.slots.live = 5;
    checks_proofs(&checks, &proofs);
    expect_cost(&checks, "counters alive", "doctor counters");
    checks.n = 0;
    proofs.slots.live = 6;
    proofs.proof[1].verdict = PROOF_DEAD;
    checks_proofs(&checks, &proofs);
    expect_cost(&checks, "events proven", "doctor counters");
    assert_string_equal(find(&checks, "events proven")->value, "1 of 2, 1 dead, 0 wrong");
    checks.n = 0;
    proofs.proof[1].verdict = PROOF_WRONG;
    checks_proofs(&checks, &proofs);
    expect_cost(&checks, "events proven", "doctor counters");
}

/* Each event of the groups stands once in the table. */
TEST(test_event_list)
{
    struct event_list list;
    size_t most = 0;
    event_list_groups(uarch_host(), &list);
    assert_true(list.n > 0);
    for (size_t i = 0; i < list.n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(list.event[i].name, list.event[k].name);
    /* No CPU has more than fit. */
    for (size_t u = 0; u < uarch_count(); u++) {
        size_t n = 0;
        for (size_t g = 0; g < counter_group_count(); g++) {
            const char *names[COUNTER_GROUP_EVENTS];
            n += counter_group_events(g, uarch_get(u), names);
        }
        most = n > most ? n : most;
    }
    assert_in_range(most, 1, EVENTS_MAX);
}

TEST(test_read)
{
    char root[] = "/tmp/simdbench-XXXXXX";
    struct vitals *const vitals = calloc(1, sizeof *vitals);
    assert_non_null(vitals);
    assert_non_null(mkdtemp(root));
    vitals_read(vitals, root);
    assert_int_equal(vitals->seccomp, -1);
    assert_int_equal(vitals->rdpmc, -1);
    assert_false(vitals->perf_exists);
    assert_true(vitals->quota == 0);
    assert_string_equal(vitals->isolated, "");

    tree_put(root, "/proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
    tree_put(root, "/proc/sys/kernel/perf_event_paranoid", "2\n");
    tree_put(root, "/proc/sys/kernel/perf_user_access", "0\n");
    tree_put(root, "/sys/fs/cgroup/cpu.max", "150000 100000\n");
    tree_put(root, "/sys/devices/system/cpu/isolated", "2-3\n");
    tree_put(root, "/sys/devices/system/cpu/nohz_full", "(null)\n");
    vitals_read(vitals, root);
    assert_int_equal(vitals->seccomp, 2);
    assert_int_equal(vitals->rdpmc, 0);
    assert_true(vitals->perf_exists);
    assert_true(vitals->quota == 1.5);
    assert_string_equal(vitals->isolated, "2-3");
    assert_string_equal(vitals->nohz_full, "");

    tree_put(root, "/sys/bus/event_source/devices/cpu/rdpmc", "1\n");
    tree_put(root, "/sys/fs/cgroup/cpu.max", "max 100000\n");
    vitals_read(vitals, root);
    assert_int_equal(vitals->rdpmc, 1);
    assert_true(vitals->quota == 0);
    free(vitals);
    assert_int_equal(tree_remove(root), 0);
}

TEST(test_print)
{
    struct checks checks = {.n = 2};
    strcpy(checks.check[0].name, "one");
    strcpy(checks.check[0].value, "a\033b");
    strcpy(checks.check[1].name, "two");
    strcpy(checks.check[1].value, "bad");
    strcpy(checks.check[1].costs, "it hurts");
    strcpy(checks.check[1].advice, "stop\033");

    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    checks_print(&checks, false, &(struct text_page){file, false, 0});
    fclose(file);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "  ok\n"));
    assert_non_null(strstr(text, "  costs: it hurts -> stop"));
    assert_non_null(strstr(text, "\n1 of 2 checks are ok; these are not: "));
    free(text);

    file = open_memstream(&text, &size);
    checks_print(&checks, true, &(struct text_page){file, false, 0});
    fclose(file);
    assert_non_null(strstr(text, "\033[33mcosts\033[0m: it hurts"));
    free(text);

    /* Colours take no room in a line. */
    struct checks wide = checks;
    memset(wide.check[0].value, 'x', 50);
    file = open_memstream(&text, &size);
    checks_print(&wide, true, &(struct text_page){file, false, 80});
    fclose(file);
    assert_non_null(strstr(text, "x  \033[32mok\033[0m\n"));
    free(text);

    file = open_memstream(&text, &size);
    checks_print(&checks, false, &(struct text_page){file, true, 0});
    fclose(file);
    assert_non_null(strstr(text, "\n\n**1 of 2 checks are ok; these are not: "));
    assert_non_null(strstr(text, " | it hurts | stop"));
    free(text);

    struct json document = {.root = NULL};
    checks_json(&checks, &document);
    cJSON *const json = cJSON_GetObjectItem(document.root, "checks");
    assert_int_equal(cJSON_GetArraySize(json), 2);
    const cJSON *const answer = cJSON_GetObjectItem(document.root, "answer");
    assert_int_equal(cJSON_GetArraySize(answer), 2);
    assert_non_null(strstr(cJSON_GetArrayItem(answer, 0)->valuestring, "1 of 2 checks"));
    const cJSON *const one = cJSON_GetArrayItem(json, 0);
    const cJSON *const two = cJSON_GetArrayItem(json, 1);
    assert_string_equal(cJSON_GetObjectItem(one, "value")->valuestring, "a\033b");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(one, "ok")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(one, "costs")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(one, "advice")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(two, "ok")));
    assert_string_equal(cJSON_GetObjectItem(two, "costs")->valuestring, "it hurts");
    assert_string_equal(cJSON_GetObjectItem(two, "advice")->valuestring, "stop\033");
    json_free(&document);
}
