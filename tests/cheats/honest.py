# SPDX-License-Identifier: Apache-2.0
"""50 honest kernels: loops that differ in op, type, unrolling and instruction set. Each op has each
unrolling and each instruction set, and each unrolling has each instruction set.

    honest.py FOLDER    writes honest.c, known.c and honest.json there
"""
import json
import sys
from pathlib import Path

# Name, element type in C, expression of a result, tolerance.
MAPS = [
    ("scale", "float", "a * x[i]", "exact"),
    ("square", "double", "x[i] * x[i]", "exact"),
    ("clip", "float", "x[i] < 0 ? 0 : x[i] > 1 ? 1 : x[i]", "exact"),
    ("twist", "uint32_t", "(x[i] << 5 | x[i] >> 27) ^ 0x9e3779b9u", "exact"),
    ("halve", "uint8_t", "(uint8_t)((x[i] + 1u) >> 1)", "exact"),
    ("absolute", "int16_t", "(int16_t)(x[i] < 0 ? -(unsigned)x[i] : (unsigned)x[i])", "exact"),
    ("cube", "float", "x[i] * x[i] * x[i] + a", "abs:1e-4"),
]
# Name, type of elements, type of the sum, expression of a term.
SUMS = [
    ("total", "float", "float", "x[i]", "abs:1e-2"),
    ("energy", "double", "double", "x[i] * x[i]", "rel:1e-9"),
    ("count", "uint8_t", "uint64_t", "x[i] == 7", "exact"),
]
TARGETS = ["", "avx2", "avx2,fma", "avx512f,avx512bw,avx512vl"]
UNROLLS = [1, 2, 3, 4, 8]


def attribute(target):
    return f'__attribute__((target("{target}"))) ' if target else ""


def a_map(name, kind, expression, unroll, target):
    lines = "".join(f"        y[i + {k}] = {expression.replace('[i]', f'[i + {k}]')};\n"
                    for k in range(unroll))
    return (f"{attribute(target)}void {name}({kind} *y, const {kind} *x, float a, size_t n)\n"
            "{\n    (void)a;\n    size_t i = 0;\n"
            f"    for (; i + {unroll} <= n; i += {unroll}) {{\n{lines}    }}\n"
            f"    for (; i < n; i++)\n        y[i] = {expression};\n}}\n")


def a_sum(name, kind, sum_kind, term, unroll, target):
    sums = "".join(f"    {sum_kind} s{k} = 0;\n" for k in range(unroll))
    lines = "".join(f"        s{k} += {term.replace('[i]', f'[i + {k}]')};\n"
                    for k in range(unroll))
    whole = " + ".join(f"s{k}" for k in range(unroll))
    return (f"{attribute(target)}{sum_kind} {name}(const {kind} *x, size_t n)\n{{\n{sums}"
            f"    size_t i = 0;\n    for (; i + {unroll} <= n; i += {unroll}) {{\n{lines}    }}\n"
            f"    for (; i < n; i++)\n        s0 += {term};\n    return {whole};\n}}\n")


def kernels():
    """(op, function, C) of each."""
    for at, (op, *rest) in enumerate(MAPS + SUMS):
        make = a_map if at < len(MAPS) else a_sum
        for k, unroll in enumerate(UNROLLS):
            target = TARGETS[(k + at) % len(TARGETS)]
            function = f"{op}_{k}"
            yield op, function, target, make(function, *rest[:-1], unroll, target)


def document(folder):
    ops = []
    for at, (op, kind, *rest) in enumerate(MAPS + SUMS):
        prototype = (f"void ({kind} y[n], const {kind} x[n], float a = 0.75, size_t n)"
                     if at < len(MAPS) else f"{rest[0]} (const {kind} x[n], size_t n)")
        ops.append({"name": op, "library": f"{folder}/libknown.so", "prototype": prototype,
                    "kernels": {"scalar": f"{op}_c"}, "reference": f"{op}_c",
                    "tolerance": rest[-1], "sizes": "100"})
    return {"functions": 1, "ops": ops}


def write(folder):
    """(op, function, target) of all."""
    head = "#include <stddef.h>\n#include <stdint.h>\n"
    known = [a_map(f"{op}_c", kind, text, 1, "") for op, kind, text, _ in MAPS]
    known += [a_sum(f"{op}_c", kind, out, text, 1, "") for op, kind, out, text, _ in SUMS]
    honest = list(kernels())
    (folder / "known.c").write_text(head + "".join(known), encoding="utf-8")
    (folder / "honest.c").write_text(head + "".join(text for *_, text in honest),
                                     encoding="utf-8")
    (folder / "honest.json").write_text(json.dumps(document(folder)), encoding="utf-8")
    return [entry[:3] for entry in honest]


if __name__ == "__main__":
    write(Path(sys.argv[1]).resolve())
