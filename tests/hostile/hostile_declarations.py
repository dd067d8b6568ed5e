# SPDX-License-Identifier: Apache-2.0
"""Prototypes and files of declarations with a few wrong characters: 20000 of them are read by
fuzz_declare, and some by the program itself, which ends with a sentence and status 2 or does what
they say."""
import json
import random
import re
import subprocess
import tempfile

from hostile_tool import Started, environment, need

ROUNDS, PART, PROGRAMS = 10000, 1000, 200
LIBRARY = "libc.so.6"
PROTOTYPES = (
    "void (inout float dst[n], const float src[n], float gain = 0.5, size_t n)",
    "size_t f(u8 dst[2 * n + 3] length return, const void *restrict p = NULL, unsigned n);",
    "int (bytes x[h][w * sizeof(int)] length k, long *k = h, int h, int w = 3 - h) for z",
    "__m256d (__m256d x, const float *const y[k][n], int *error = 0, int k, int n)",
    "void (fir *f = from new(taps, n, 0.5f) free drop, u8 y[n]) for n, const float taps[n]",
    "int f(const png_bytep x[n], void *end = x + n, u8 *at = &y[k - 1], int n) for u8 y[k], k",
    "typedef unsigned B; void *(inout B b[n * s], int n, B s = 2, int (*f)(int) = &g)")
ALPHABET = "()[]*&,;= +-/%\"'\\.0123456789naxlf{}<>:\n\t"
SENTENCE = re.compile(r"(?m)^simdbench: \S.{8,}")


def mutant(text, draw):
    for _ in range(draw.randrange(1, 6)):
        at, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        kind = draw.randrange(4)
        if kind == 0:
            text = text[:at] + draw.choice(ALPHABET) + text[at + 1:]
        elif kind == 1:
            text = text[:at] + draw.choice(ALPHABET) + text[at:]
        elif kind == 2:
            text = text[:at] + text[min(end, at + 6):]
        else:
            text = text[:end] + text[at:end] + text[end:]
    return text.replace("\0", "0")


def read(context, number):
    """By the reader alone: so many prototypes, and so many files; libFuzzer, in a build for it,
    draws mutants of its own."""
    reader, seed = context.build / "tests/fuzz_declare", context.seed + number
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        words = [PART, seed]
        if b"libFuzzer" in reader.read_bytes():
            words = [f"-runs={2 * PART}", f"-seed={seed}", f"-artifact_prefix={folder}/", folder]
        done = subprocess.run(list(map(str, [reader, *words])), capture_output=True, text=True,
                              env=environment(UBSAN_OPTIONS="halt_on_error=1"))
    need(done.returncode == 0, f"fuzz_declare {PART} {seed}: {done.stderr[-2000:]}")
    return 2 * PART, []


def program(context, number, in_file):
    draw = random.Random(f"{context.seed} {number} {in_file}")
    prototype = draw.choice(PROTOTYPES)
    document = json.dumps({"functions": 1, "ops": [{
        "name": "copy", "prototype": prototype, "library": LIBRARY, "sizes": "1..9",
        "kernels": {"scalar": "memcpy", "lib": ["memmove"]}, "tails": "1..7",
        "reference": "libc.so.6:memmove", "inputs": {"x": "uniform:0..1"}}]})
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        words = [f"{LIBRARY}:memcpy", mutant(prototype, draw)]
        if in_file:
            words = ["mutant.json"]
            with open(f"{folder}/mutant.json", "w", encoding="utf-8") as file:
                file.write(mutant(document, draw))
        started = Started([context.program, "call", *words, "--sizes=16", "--dry-run"], folder)
        status = started.wait({0, 2})
        said = started.err.decode(errors="replace")
        need(status == 0 or SENTENCE.search(said), f"status {status} without a sentence: {words}")


def attacks(context):
    for number in range(ROUNDS // PART):
        yield f"read {number}", lambda number=number: read(context, number)
    for number in range(PROGRAMS):
        yield f"prototype {number}", lambda number=number: program(context, number, False)
        yield f"file {number}", lambda number=number: program(context, number, True)
