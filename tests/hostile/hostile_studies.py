# SPDX-License-Identifier: Apache-2.0
"""Study files that somebody else wrote: those of the program, with one to three members
changed. A dry run reads them or names the field, starts nothing, and prints no control
character and no command to CI; a few of those that it reads are measured, too."""
import copy
import json
import random
import re
import tempfile
from pathlib import Path

from hostile_tool import ROOT, Started, need

STUDIES = sorted(Path(ROOT / "studies").glob("*.json"))
NUMBER, EACH_MEASURED, SECONDS = 4000, 100, 20
BAD = "a\x1b[31m\x07\r\n\u009b\u202e::error ::x ##[error]y ##vso[task.z]\n::error::c"
PROGRAM = "../started.sh"
VALUES = [None, True, -1, 0, 1e308, -0.5, "", "all", "x" * 5000, BAD, PROGRAM, "../" * 99 + "x.so",
          [], {}, [BAD], {BAD: BAD}, [[1]], ["8"] * 1001, "never:" + BAD, "memory:1" + BAD,
          [f"never:{BAD}"], [None, None], [1e308, -1e308]]
FORMATS = ["table", "markdown", "junit", "csv", "json", "gbench", "annotations", "benchstat"]
# "mine.json: claims[3].expect: the first end is above the second"
REFUSED = re.compile(r"simdbench: .*(mine\.json|no op|no claim).*", re.S)


def places(node, found=None):
    """[(what holds a member, its key)] of a document."""
    found = [] if found is None else found
    for key in node if isinstance(node, dict) else range(len(node)):
        found.append((node, key))
        if isinstance(node[key], (dict, list)):
            places(node[key], found)
    return found


def mutant(seed):
    chance = random.Random(seed)
    document = json.loads(chance.choice(STUDIES).read_text(encoding="utf-8"))
    for _ in range(chance.choice((1, 1, 2, 3))):
        parent, key = chance.choice(places(document))
        how = chance.randrange(8)
        if how == 0:
            del parent[key]
        elif how == 1 and isinstance(parent, dict):
            parent[chance.choice((BAD, BAD[:20], "x" * 99, ""))] = parent.pop(key)
        elif how == 2 and isinstance(parent, list):
            parent.extend([copy.deepcopy(parent[key])] * chance.choice((1, 40, 1200)))
        else:
            parent[key] = copy.deepcopy(chance.choice(VALUES))
    return document, chance


def run(context, folder, arguments, statuses, before=()):
    started = Started([*before, context.program, "study", "s/mine.json", *arguments], folder)
    return started, started.wait(statuses)


def attack(context, number):
    document, chance = mutant(context.seed * NUMBER + number)
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        folder = Path(folder)
        mark, program = folder / "mark", folder / "started.sh"
        program.write_text(f"#!/bin/sh\ntouch {mark}\n", encoding="utf-8")
        program.chmod(0o755)
        (folder / "s").mkdir()
        (folder / "s/mine.json").write_text(json.dumps(document), encoding="utf-8")
        started, status = run(context, folder, ["--dry-run"], {0, 2},
                              ["prlimit", f"--cpu={SECONDS}"])
        need(not mark.exists(), "a dry run started a program")
        lines = started.err.decode().splitlines()
        if status == 2:
            need(len(lines) == 1 and not started.out and REFUSED.fullmatch(lines[0]), lines)
        elif number % EACH_MEASURED == 0:
            claim = document["claims"][0]["id"]
            run(context, folder, ["--quick", "--quiet", f"--format={chance.choice(FORMATS)}",
                                  f"--claim={claim}"], {0, 2})


def attacks(context):
    for number in range(NUMBER):
        yield f"study {number}", lambda n=number: attack(context, n)
