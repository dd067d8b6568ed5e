/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "doctor_private.h"

#define QUIET "sudo scripts/quiet.sh simdbench ..., or: "

/* ---- the clock ---- */

static void check_timer(struct checks *checks, const struct host *host,
                        const struct vitals *vitals)
{
    check_add(checks, "clocksource", "%s", or_not_told(host->clocksource));
    if (text_same(host->clocksource, "hpet") || text_same(host->clocksource, "acpi_pm") ||
        text_same(host->clocksource, "jiffies") ||
        text_same(host->clocksource, "refined-jiffies"))
        check_costs(
            checks,
            "each reading is a system call to a device, about 1 us where tsc takes 0.02",
            strstr(vitals->sources, "tsc")
                ? "echo tsc | sudo tee "
                  "/sys/devices/system/clocksource/clocksource0/current_clocksource"
                : "dmesg | grep -i tsc, and boot with tsc=reliable if it is");
    check_add(checks, "timer", "%.3g ns steps, %.3g ns a reading", vitals->resolution_ns,
              vitals->cost_ns);
    if (vitals->cost_ns > 200 || vitals->resolution_ns > 1000)
        check_costs(checks,
                    "two readings are over 0.1% of a batch of 0.5 ms, or their steps are",
                    "simdbench ... --time-per-case=1s, and a better clocksource");
}

static void check_ghz(struct checks *checks, const struct host *host,
                      const struct vitals *vitals)
{
    if (!(vitals->ghz > 0) || !(vitals->ghz_imul > 0)) {
        check_add(checks, "clock", "not told");
        return;
    }
    const double apart = fabs(vitals->ghz / vitals->ghz_imul - 1);
    check_add(checks, "clock", "%.3f GHz by adds, %.3f by multiplies, %.1f%% apart",
              vitals->ghz, vitals->ghz_imul, 100 * apart);
    if (apart > 0.02)
        check_costs(checks,
                    "the clock moves or this CPU is shared: times move by as much, "
                    "ratios within a run less",
                    "simdbench doctor, again, when the machine is quiet");
    if (!(host->tsc_ghz > 0)) {
        check_add(checks, "clock / TSC", "not told");
        return;
    }
    check_add(checks, "clock / TSC", "%.2f (TSC %.3f GHz)", vitals->ghz / host->tsc_ghz,
              host->tsc_ghz);
    if (vitals->ghz < 0.9 * host->tsc_ghz) {
        char costs[128];
        snprintf(costs, sizeof costs,
                 "%.0f%% of the nominal clock: governor, power or heat limit",
                 100 * (1 - vitals->ghz / host->tsc_ghz));
        check_costs(checks, costs, "sudo cpupower frequency-info");
    }
}

static void check_governor(struct checks *checks, const struct host *host,
                           const struct vitals *vitals)
{
    static const char unsteered[] = "none: this kernel does not steer the clock";
    check_add(checks, "governor", "%s", host->governor[0] ? host->governor : unsteered);
    if (host->governor[0] && !text_same(host->governor, "performance"))
        check_costs(checks,
                    "the clock follows the load: it rises within the first milliseconds "
                    "and falls in each pause",
                    QUIET "sudo cpupower frequency-set -g performance");
    check_add(checks, "energy preference", "%s",
              vitals->preference[0] ? vitals->preference : "none");
    if (vitals->preference[0] && !text_same(vitals->preference, "performance"))
        check_costs(checks, "the CPU may choose a lower clock to save power",
                    QUIET "sudo cpupower set --epp performance");
    check_add(checks, "turbo", "%s",
              host->turbo[0] ? host->turbo : "none: the kernel has no switch for it");
    if (text_same(host->turbo, "on"))
        check_costs(
            checks,
            "the clock depends on heat, on other cores and on the width of vectors: "
            "times of two runs differ by several percent",
            text_same(host->vendor, "GenuineIntel")
                ? QUIET "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                : QUIET "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
}

void checks_clock(struct checks *checks, const struct host *host,
                  const struct vitals *vitals)
{
    check_timer(checks, host, vitals);
    check_ghz(checks, host, vitals);
    check_governor(checks, host, vitals);
}

/* ---- the others ---- */

static const char neighbour[] = "a neighbour on the same core takes up to half of wide "
                                "kernels' rate, and neither clock nor CPU time show it";

static void check_sharing(struct checks *checks, const struct host *host,
                          const struct vitals *vitals)
{
    check_add(checks, "SMT", "%s%s%s",
              host->smt < 0 ? "not told"
              : host->smt   ? "on"
                            : "off",
              host->smt > 0 && vitals->siblings[0] ? ", one core: CPUs " : "",
              host->smt > 0 ? vitals->siblings : "");
    if (host->smt > 0)
        check_costs(checks, neighbour,
                    "sudo scripts/quiet.sh --smt-off simdbench ..., or: echo off | sudo "
                    "tee /sys/devices/system/cpu/smt/control");
    if (!vitals->probes || !(vitals->core_share > 0)) {
        check_add(checks, "core sharing", "not told");
        return;
    }
    check_add(checks, "core sharing",
              "CPU %d: %zu of %zu probes had company, %.2f of %.3g adds a cycle at best, "
              "%.0f%% lost",
              vitals->probed_cpu, vitals->core_shared, vitals->probes, vitals->core_share,
              vitals->full_core_share, 100 * vitals->lost);
    /* An interrupt within a probe looks like a shared core, too. */
    if ((double)vitals->core_shared > 0.02 * (double)vitals->probes)
        check_costs(checks, neighbour,
                    host->smt > 0 ? "sudo scripts/quiet.sh --smt-off simdbench ..."
                                  : "simdbench doctor, again; or a machine of your own");
}

static bool in_list(const char *list, int cpu)
{
    while (*list) {
        char *end;
        const long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (cpu >= first && cpu <= last)
            return true;
        list = end + (*end == ',');
        if (*end != ',')
            break;
    }
    return false;
}

static void check_isolation(struct checks *checks, const struct vitals *vitals)
{
    char advice[160];
    check_add(checks, "isolated CPUs", "%s%s%s",
              vitals->isolated[0] ? vitals->isolated : "none",
              vitals->nohz_full[0] ? ", without ticks: " : "", vitals->nohz_full);
    if (!vitals->isolated[0] || in_list(vitals->isolated, vitals->probed_cpu))
        return;
    snprintf(advice, sizeof advice, "taskset -c %.*s simdbench ...",
             (int)strcspn(vitals->isolated, "-,"), vitals->isolated);
    check_costs(
        checks,
        "runs do not go there by themselves: elsewhere what else runs voids batches",
        advice);
}

static void check_machine(struct checks *checks, const struct host *host,
                          const struct vitals *vitals)
{
    check_add(checks, "virtualisation", "%s", or_not_told(host->virtualisation));
    if (host->virtualisation[0] && !text_same(host->virtualisation, "none"))
        check_costs(
            checks,
            "the host may take CPU time, share the core, move the clock and hide "
            "counters: times of two runs differ by 5% and more",
            "simdbench ... --baseline=NAME: trust ratios within a run; or bare metal");
    char quota[40] = "";
    if (vitals->quota > 0)
        snprintf(quota, sizeof quota, ", may use %.2f CPUs", vitals->quota);
    check_add(checks, "container", "%s%s", host->container[0] ? host->container : "none",
              quota);
    if (vitals->quota > 0)
        check_costs(checks,
                    "whoever used up the quota stands still until the next period (100 "
                    "ms): such batches are void",
                    "docker run without --cpus, or with --cpuset-cpus=LIST instead");
}

void checks_core_share(struct checks *checks, const struct host *host,
                       const struct vitals *vitals)
{
    check_sharing(checks, host, vitals);
    check_isolation(checks, vitals);
    check_machine(checks, host, vitals);
    if (host->load[0] < 0) {
        check_add(checks, "load", "not told");
    } else {
        check_add(checks, "load", "%.2f %.2f %.2f", host->load[0], host->load[1],
                  host->load[2]);
        if (host->load[0] > 0.5)
            check_costs(checks,
                        "something else runs or ran in the last minute: it takes CPU "
                        "time, caches and memory bandwidth",
                        "top, and end what it shows");
    }
    check_add(checks, "priority",
              vitals->runs_first ? "measured calls run before other programs (SCHED_FIFO)"
                                 : "measured calls take turns with other programs");
    if (!vitals->runs_first && vitals->n_cpu != 1)
        check_costs(
            checks,
            "where more programs run than there are CPUs, batches of long calls are void",
            "sudo prlimit --rtprio=1 --pid $$, in this shell; no nice in front of "
            "simdbench");
    if (vitals->stolen_s < 0) {
        check_add(checks, "steal", "not told");
        return;
    }
    check_add(checks, "steal", "%.0f ms in %.0f ms", 1e3 * vitals->stolen_s,
              1e3 * vitals->watched_s);
    if (vitals->stolen_s > 0) {
        char costs[128];
        snprintf(costs, sizeof costs,
                 "the host took %.1f%% of a CPU: such rounds are void and run again",
                 100 * vitals->stolen_s / vitals->watched_s);
        check_costs(checks, costs, "simdbench doctor, again, or another machine");
    }
}
