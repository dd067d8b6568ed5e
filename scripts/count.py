# SPDX-License-Identifier: Apache-2.0
"""count.py TESTLOG.json...: prints "N passed, N failed[, N skipped]" for Meson test logs.

Counts the cases inside cmocka and unittest programs; any other program is one case. A
program that failed without naming a failed case (it crashed or hung) counts as one more.
Exit status 1 if anything failed or nothing passed.
"""
import collections
import json
import re
import sys


def cases(test):
    """Cases of one program: {"passed": n, "failed": n, "skipped": n}."""
    text = test.get("stdout", "") + test.get("stderr", "")
    count = collections.Counter()
    for kind, n in re.findall(r"^\[  (PASSED |FAILED |SKIPPED) \] (\d+) test", text, re.M):
        count[kind.strip().lower()] += int(n)
    ran = re.findall(r"^Ran (\d+) tests? in .*\n\n(?:OK|FAILED|NO TESTS RAN)(.*)", text, re.M)
    for total, details in ran:
        number = {k: int(n) for k, n in re.findall(r"([a-z ]+)=(\d+)", details)}
        number = {k.strip(): n for k, n in number.items()}
        failed = sum(number.get(k, 0)
                     for k in ("failures", "errors", "unexpected successes"))
        count["failed"] += failed
        count["skipped"] += number.get("skipped", 0)
        count["passed"] += max(0, int(total) - failed - number.get("skipped", 0))
    result = test["result"]
    if result in ("OK", "EXPECTEDFAIL"):
        if count["failed"]:
            raise SystemExit(f"{test['name']}: exit status 0, yet a case failed")
        if not count:
            count["passed"] = 1
    elif result == "SKIP":
        count = collections.Counter(skipped=max(1, count["skipped"]))
    elif not count["failed"]:
        count["failed"] = 1
    return count


def main(paths):
    total = collections.Counter()
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                total += cases(json.loads(line))
    text = f"{total['passed']} passed, {total['failed']} failed"
    if total["skipped"]:
        text += f", {total['skipped']} skipped"
    print(text)
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
