# SPDX-License-Identifier: Apache-2.0
"""Project files of a stranger's repository, as they are found: none of them runs code, writes
a file, waits, or changes the exit status, beside status 2 for a bad file."""
import json
import os
import random
import tempfile
from pathlib import Path

from hostile_tool import GEMM, environment, need, run_case

FILES = 2000
RUNS = Path(__file__).resolve().parents[1] / "fuzz/corpus/json"
# Wishes of a file; {out} is a file of the user's, {evil} a program that leaves a mark,
# and {new} is no file yet.
PLACES = ["{out}", "{new}", "../out", "../new", "new", "./new", "a/../../out", ".simdbench.json",
          "up/out", "away", "pipe", "/dev/stdout", "/proc/self/fd/1", "\u001b[2J", "x" * 5000]
PROGRAMS = ["{evil}", "./evil.sh", "evil.so", "../clone/evil.sh", "./evil.sh,a=b", "away",
            "/bin/sh", "pipe", "./pipe", "openblas,coretype=x"]
WRITES = ["output", "json", "markdown", "history", "format"]
FORMATS = ["", "json:", "html:", "csv:", "junit:", "svg:"]
RULES = {"threshold": ["90%", "100%"], "strict": [True, False], "isa-fallback": ["off"],
         "timeout": ["1ms", "1440min"], "wait": ["no", "0", 9], "cpu": ["0", "1"],
         "time-per-case": ["1440min"], "processes": [8, 1000], "in-process": [True],
         "gate-code": [True], "query": ["*"], "value": ["gops"], "node": ["x"], "quick": [True],
         "expect": ["confirmed"], "by": ["host"], "accuracy": [True], "format": ["json"],
         "shapes": ["pipe", "./pipe", "/dev/zero", "suite"]}
MILD = {"quiet": [True, False], "label": ["a\u001b[31m\n::error::b"], "seed": [1], "type": ["f32"],
        "baseline": ["none"], "rounds": [6], "precision": ["1%"]}
BAD = [b"", b"{", b"[]", b"\x00" * 99, b"{\"gemm\": {\"sizes\": \"9..\"}}", b"{\"a\x1b[2J\": {}}",
       b"[" * 100000, b"{\"global\": {\"output\": 1}, \"global\": {}}", b"\xff\xfe{}"]
SECTIONS = ["global", "gemm", "list", "doctor", "compare", "report", "new-plugin", "history",
            "nosuchop"]
COMMANDS = [["list", "settings"], ["list", "isas"], ["list"], ["list", "kernels", "scalar"],
            ["gemm", "--dry-run"], ["nosuchop", "--help"], ["new-plugin", "mine"],
            ["report", "{run}"], ["compare", "{run}", "{run}"],
            [*GEMM, "--baseline=none"]]


def wish(chance):
    kind = chance.choice(["write"] * 3 + ["run"] * 3 + ["rule"] * 2 + ["mild"])
    if kind == "write":
        name, value = chance.choice(WRITES), chance.choice(PLACES)
        return name, (chance.choice(FORMATS[1:]) if name == "format" else "") + value
    if kind == "run":
        value = chance.choice(PROGRAMS)
        return chance.choice(["plugin", "baseline"]), \
            [chance.choice(["openblas", value]), value] if chance.random() < 0.3 else value
    table = RULES if kind == "rule" else MILD
    name = chance.choice(sorted(table))
    return name, chance.choice(table[name])


def content(chance, names):
    """Bytes of a file; most are what a reader takes."""
    if chance.random() < 0.05:
        return chance.choice(BAD)
    sections = {}
    for _ in range(chance.randint(1, 4)):
        name, value = wish(chance)
        sections.setdefault(chance.choice(SECTIONS[:2] if chance.random() < 0.7 else SECTIONS),
                            {})[name] = value
    text = json.dumps(sections)
    for name, path in names.items():
        text = text.replace(f"{{{name}}}", str(path))
    return text.encode()


def place(file, data, chance):
    """The file, or something else in its place; True if it is a file that is read."""
    kind = chance.random()
    if kind < 0.02:
        os.mkfifo(file)
    elif kind < 0.04:
        (file.parent.parent / "linked.json").write_bytes(data)
        file.symlink_to("../linked.json")
    elif kind < 0.05:
        file.symlink_to(f"/proc/{os.getpid()}/cmdline")
    elif kind < 0.06:
        file.mkdir()
    else:
        file.write_bytes(data)
        if kind < 0.08:
            file.chmod(0o666)
        return kind >= 0.08
    return False


def picture(top):
    """What is there, with its content."""
    found = {}
    for path in sorted(top.rglob("*")):
        kind = path.lstat()
        found[str(path)] = (kind.st_mode, kind.st_ino,
                            path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
    return found


def settle(top):
    """A clone, and what the user has beside it."""
    clone = top / "clone"
    clone.mkdir()
    names = {"out": top / "out", "new": top / "new", "evil": clone / "evil.sh"}
    names["out"].write_text("precious")
    names["evil"].write_text(f"#!/bin/sh\ntouch {top}/executed\n")
    names["evil"].chmod(0o755)
    os.mkfifo(clone / "pipe")
    (clone / "up").symlink_to("..")
    (clone / "away").symlink_to("../out")
    return clone, names


def attack(context, number):
    chance = random.Random(context.seed * 1000003 + number)
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        top = Path(folder)
        clone, names = settle(top)
        state = top / "state"
        data = content(chance, names)
        read = place(clone / ".simdbench.json", data, chance)
        command = [word.replace("{run}", str(RUNS / "s_plan_00.json"))
                   for word in chance.choice(COMMANDS)]
        before = picture(top)
        statuses = {}
        for more in "", "no":
            env = environment(XDG_STATE_HOME=str(state), SIMDBENCH_PROJECT=more)
            started, _ = run_case([context.program, *command], set(range(7)),
                                  cwd=clone, env=env)
            statuses[more] = started.process.returncode
            if more:
                continue
            lines = [line for line in started.err.decode().splitlines() if "not count" in line]
            need(len(lines) <= 1, f"{len(lines)} lines of trust")
            need(read or not lines, "what is not read was told of")
            for path in clone.glob("mine/*"):
                path.unlink()
            if (clone / "mine").exists():
                (clone / "mine").rmdir()
            after = picture(top)
            need(before == after, f"{command}: other files: {set(before) ^ set(after)}: {data[:500]}")
        plain, found = statuses["no"], statuses[""]
        need(found in (plain, 2) and (read or found == plain),
             f"{command}: status {found}, and {plain} without the file: {data[:500]}")


def attacks(context):
    for number in range(40 if context.short else FILES):
        yield f"file {number}", lambda n=number: attack(context, n)
