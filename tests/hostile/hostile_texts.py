# SPDX-License-Identifier: Apache-2.0
"""Texts that would act on a terminal, on CI or on a page, in every text field of a plug-in,
a foreign worker, a project file and a file of shapes, and in names of files. Whatever
becomes of them, no output holds such a text: Started.wait() looks."""
import itertools
import json
import os
import tempfile
from pathlib import Path

from hostile_tool import GEMM, ROOT, SHORT, Started, environment

BAD = "a\x1b[31m\x07\r\n\u009b::error ::x ##[error]y ##vso[task.z]\n::error::c"
WORKER = ROOT / "tests/hostile/baseline-hostile"
PLUGIN = ["control-name", "control-variant", "unknown-roof", "unknown-layout",
          "unknown-semiring", "odd-choice", "format-control", "text-roof", "text-layouts",
          "text-inputs", "text-op", "text-shapes", "text-choice", "text-library"]
ROW = ("op", "semiring", "type", "isa", "variant", "layout", "roof", "other_roof")
FIELDS = {"hello": ("hello", "error"),
          "describe": ("name", "version", "core", "isa", "detail", "advice"),
          "objects": ("version", "commit"),
          "prepare": ("isa", "implementation", "note", "roof"),
          "check": ("note", "error", "worst_input"), "batch": ("note", "error")}
OP = ("name", "summary", "shape_help", "default_shapes", "layouts", "inputs")
PROJECTS = [{BAD: {}}, {"gemm": BAD}, {"gemm": {BAD: 1}}, {"gemm": {"sizes": BAD}},
            {"global": {"isa": BAD}}, {"gemm": {"variants": BAD, "filter": BAD}},
            {"gemm": {"seed": BAD}}, BAD, [BAD]]
ANY = {0, 1, 2, 4, 5}
# Fields differ by their place in a message alone: with less effort each is met by the first command
# and by one of the others, which take turns.
THIN = int(os.environ.get("SIMDBENCH_EFFORT") or 1) > 1
turns = itertools.count()


def run(context, *commands, files=None, **more):
    """Each in a folder of its own, which has these files."""
    for arguments in commands:
        with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
            for name, text in (files or {}).items():
                Path(folder, name).write_text(text, encoding="utf-8")
            Started([context.program, *arguments], folder, env=environment(**more)).wait(ANY)


def run_field(context, first, *others, **more):
    others = [others[next(turns) % len(others)]] if THIN and others else others
    run(context, first, *others, **more)


def plugin(context, fault):
    """A kernel tells its choice only where it is prepared."""
    module = f"--plugin={context.build}/tests/modules/hostile.so"
    op = ["twice", module, "--baseline=none", "--sizes=100"]
    plans = [] if fault.endswith("-choice") else [
        [*op, "--dry-run"], ["twice", module, "--help"], ["list", "ops", module],
        ["list", "kernels", module], ["explain", *op[:2], "--sizes=100", "--dry-run"]]
    run_field(context, [*op, *SHORT, "--timeout=2s"], [*op, *SHORT, "--accuracy"], *plans,
              HOSTILE=f"table:{fault}")


def worker(context, verb, values):
    """A plan and a list ask for these verbs alone."""
    option = f"--baseline={WORKER}"
    plans = [[*GEMM, option, "--dry-run"], ["list", "kernels", option], ["list", "ops", option]]
    run_field(context, [*GEMM, option, "--timeout=2s"],
              *(plans if verb in ("hello", "describe") else []),
              HOSTILE=f"{verb}:{json.dumps(values)}")


def project(context, document):
    run(context, [*GEMM, "--dry-run"], ["list", "settings"], ["doctor", "--help"],
        files={".simdbench.json": json.dumps(document)})


def shapes(context, text):
    run(context, ["gemm", "--shapes=./shapes", "--dry-run"], ["relu", "--shapes=./shapes", *SHORT],
        files={"shapes": text})


def names(context):
    """What was typed is shown in messages."""
    run(context, [BAD], ["report", BAD], ["compare", BAD, BAD], ["study", BAD],
        ["study", f"./{BAD}.json"], ["list", BAD], ["list", "kernels", BAD], ["gemm", BAD],
        ["gemm", f"--{BAD}"], ["gemm", f"--isa={BAD}"], ["gemm", f"--plugin={BAD}"],
        ["gemm", f"--baseline={BAD}"], ["gemm", f"--sizes={BAD}"], ["new-plugin", BAD],
        ["explain", BAD], ["explain", f"gemm/{BAD}@8"], ["man", BAD], ["completion", BAD],
        ["history", f"--history={BAD}"], ["gemm", f"--json={BAD}/x"], ["ab", BAD, BAD, "gemm"],
        ["report", BAD, "--by=host"])


def attacks(context):
    for fault in PLUGIN:
        yield f"plugin {fault}", lambda fault=fault: plugin(context, fault)
    for verb, fields in FIELDS.items():
        for field in fields:
            for ok in (True, False) if field == "error" else (True,):
                values = {field: BAD, **({} if ok else {"ok": False})}
                yield (f"worker {verb} {field} {ok}",
                       lambda verb=verb, values=values: worker(context, verb, values))
    for field in ROW:
        yield f"worker row {field}", lambda field=field: worker(
            context, "describe", {"kernels": {field: BAD}})
    for field in OP:
        yield f"worker op {field}", lambda field=field: worker(
            context, "describe", {"ops": [{"name": "own", field: BAD}]})
    for number, document in enumerate(PROJECTS):
        yield f"project {number}", lambda document=document: project(context, document)
    for number, text in enumerate((BAD, f"8\n{BAD}\n", f"8 {BAD}")):
        yield f"shapes {number}", lambda text=text: shapes(context, text)
    yield "names", lambda: names(context)
