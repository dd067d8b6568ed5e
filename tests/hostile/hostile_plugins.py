# SPDX-License-Identifier: Apache-2.0
"""Plug-ins that misbehave: tests/modules/hostile/hostile.c and misbehaves.c say how."""
import re

from hostile_tool import SHORT, environment, need, rows, run_case, timeout_of

GOOD = {"ok", "noisy"}

# what it does: statuses that row "bad" may have
RUNS = {
    **dict.fromkeys((
        "run:crash run:abort run:exit run:_exit run:kill-group run:recurse run:jump run:stop "
        "run:trap run:close-all run:write-socket run:read-socket run:limit-time "
        "run:unmap run:dlclose run:hang run:leave-thread "
        "later:crash later:abort later:exit later:hang later:close-all later:unmap later:stop "
        "prepare:crash prepare:exit prepare:hang prepare:close-all "
        "prepare:write-socket table:odd-choice").split(), {"failed"}),
    **dict.fromkeys("run:before run:beyond run:input run:nan".split(), {"wrong"}),
    **dict.fromkeys((
        "run:close-standard run:print run:ignore-signals run:block-signals run:unblock-signals "
        "run:limit-files run:limit-size run:fork run:fork-many run:fork-return run:threads "
        "run:memory run:folder run:umask run:locale run:environment run:rounding "
        "run:subnormals run:affinity run:nice run:traced run:name later:print later:fork "
        "later:threads table:work-nan release:crash release:exit release:hang release:close-all close:crash "
        "close:hang exit:crash exit:hang exit:print load:print load:umask load:folder "
        "load:threads open:print open:locale prepare:memory prepare:threads").split(), GOOD),
    # Strict mode cannot follow the filter that workers have, see confine.c.
    **dict.fromkeys(("run:seccomp", "prepare:seccomp"), GOOD)}

# Later harm to the worker or the op costs row "good" as well: words about both.
SHARED = {"run:alarm": "signal 14", "run:protect": "status|signal 11",
          "table:fill-fails": "op twice cannot fill its inputs: Input/output error",
          "table:reference-fails": "op twice has no reference: Input/output error"}

# tables, and ways that end all: simdbench says why, status 2
REFUSED = (
    "load:crash load:exit load:abort load:kill-group load:close-all load:stop open:crash "
    "open:exit open:hang open:write-socket describe:crash describe:exit describe:hang "
    "table:null table:null-kernels table:many-kernels table:module-size-0 table:abi-0 "
    "table:abi-99 table:long-variant table:control-variant table:long-version").split()


def run_plugin(context, how, statuses, options):
    plugin = context.build / "tests/modules/hostile.so"
    command = [context.program, "twice", f"--plugin={plugin}", "--baseline=none", *SHORT,
               "--sizes=10000", timeout_of(how), "--json=run.json", *options]
    return run_case(command, statuses, env=environment(HOSTILE=how))


def survives(context, how, wanted):
    bad = wanted & {"failed", "wrong"}
    _, document = run_plugin(context, how, {4} if bad else {0}, [])
    need(document, "no JSON file")
    for row in rows(document, variant="good"):
        need(row["status"] in GOOD, f"good: {row['status']}: {row['reason']}")
    found = rows(document, variant="bad")
    need(len(found) == 1, f"{len(found)} rows")
    need(found[0]["status"] in wanted, f"{found[0]['status']}: {found[0]['reason']}")


def shared(context, how, reason):
    _, document = run_plugin(context, how, {4}, [])
    for row in rows(document, op="twice"):
        need(row["status"] in GOOD or re.search(reason, row["reason"]), row["reason"])


def refused(context, how):
    started, document = run_plugin(context, how, {2}, [])
    need(b"hostile.so" in started.err, f"no word of the plug-in: {started.err[-300:]}")
    need(not started.out and not document, "there is output")


def attacks(context):
    for how, wanted in RUNS.items():
        yield how, lambda how=how, wanted=wanted: survives(context, how, wanted)
    for how, reason in SHARED.items():
        yield how, lambda how=how, reason=reason: shared(context, how, reason)
    for how in REFUSED:
        yield how, lambda how=how: refused(context, how)
