# SPDX-License-Identifier: Apache-2.0
"""Whether `simdbench doctor instructions` tells the same again, and what others publish:
scripts/bench passport [--help].

Published values are read from files that you have: a list of InstLatX64, or a machine
model of OSACA (*.yml), of the same kind of core. A form agrees if its throughput and one
of its latencies between registers are within 5%, or within 0.05 cycles.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

USUAL = ["v*addp?", "v*mulp?", "vmaxp?", "vfmadd231p?", "vdivp?", "vsqrtp?", "vpadd?",
         "vpmull?", "vpcmp?", "vperm?", "vshufps", "vpcompress?", "vpgatherd?", "vmovups",
         "vcvtdq2ps", "add", "imul", "mov", "popcnt", "kmov?", "vmovq"]
SHARE, LEAST = 0.05, 0.05
LINE = re.compile(r"\s*\d+\s+\S+\s*:\s*(?:\{\w+\})?\s*(\S+)\s*(.*?)\s+L:\s*(.*?)\s+"
                  r"T:\s*[\d.]+ns=\s*([\d.]+)c")


def forms(program, globs, **more):
    """{form: entry}, of the forms that could be measured."""
    run = subprocess.run([program, "doctor", "instructions", *globs, "--format=json"],
                         stdout=subprocess.PIPE, check=True, text=True,
                         env={**os.environ, **more})
    return {form["form"]: form for form in json.loads(run.stdout)["forms"]
            if form["throughput"] is not None}


def operand(text):
    """As this program names it, or None."""
    text = text.strip().lower().replace(" {k}", "{k}")
    found = re.fullmatch(r"r\d_(8|16|32|64)", text)
    if found:
        return f"r{found[1]}"
    text = re.sub(r"^(xmm|ymm|zmm|k)\d$", r"\1", text)
    text = re.sub(r"^\[m(\d+)\]$", r"m\1", text)
    text = re.sub(r"^imm?(8|16|32|64)$", r"i\1", text)
    known = r"(xmm|ymm|zmm)(\{k\})?|k|r(8|16|32|64)|m\d+|i(8|16|32|64)|cl"
    return text if re.fullmatch(known, text) else None


def read_list(path):
    """{form: [(latency or None, throughput)]} of a list of InstLatX64."""
    found = {}
    with open(path, encoding="latin1") as file:
        for line in file:
            match = LINE.match(line)
            if not match:
                continue
            operands = [operand(text) for text in match[2].split(",")] if match[2] else []
            if None in operands:
                continue
            latency = re.search(r"=\s*([\d.]+)c", match[3])
            name = f"{match[1].lower()} {', '.join(operands)}".strip()
            found.setdefault(name, []).append((float(latency[1]) if latency else None,
                                               float(match[4])))
    return found


def read_model(path):
    """The same of a model of OSACA, whose operands stand in reverse order."""
    import yaml
    with open(path, encoding="utf-8") as file:
        forms = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    found = {}
    for form in forms["instruction_forms"]:
        operands = []
        for one in reversed(form.get("operands") or []):
            name = one.get("name") if one["class"] == "register" else None
            name = {"gpr": "r64"}.get(name, name)
            if one["class"] == "immediate":
                name = "i8"
            if name not in ("xmm", "ymm", "zmm", "k", "r64", "i8"):
                break
            operands.append(name + ("{k}" if one.get("mask") else "")
                            + ("{z}" if one.get("zeroing") else ""))
        else:
            names = form["name"] if isinstance(form["name"], list) else [form["name"]]
            for name in names if form.get("throughput") else []:
                found.setdefault(f"{name.lower()} {', '.join(operands)}".strip(), []).append(
                    (form.get("latency"), form["throughput"]))
    return found


def near(a, b):
    return abs(a - b) <= max(SHARE * b, LEAST if b >= 1 else SHARE * b + 0.01)


def latencies(form):
    """Between registers."""
    return [cycles for link in form["latency"]
            if "address" not in link["from"] and link["from"] != "mask"
            for cycles in sorted({link["cycles"], link["cycles_full"]})]


def agrees(form, values):
    latency, throughput = values
    mine = latencies(form)
    return near(form["throughput"], throughput) and (
        latency is None or not mine or any(near(one, latency) for one in mine))


def compare(program, path, show):
    published = (read_model if path.endswith(".yml") else read_list)(path)
    names = set(published) & set(forms(program, ["*"], SIMDBENCH_TEST_COSTS="*=1"))
    # Brackets of a gather are no set of characters.
    measured = forms(program, sorted(name for name in names if "[" not in name))
    same, other = [], []
    for name in sorted(set(published) & set(measured)):
        form = measured[name]
        (same if any(agrees(form, values) for values in published[name]) else
         other).append(name)
    for name in other if show else []:
        latency, throughput = published[name][0]
        print(f"{name:40} published {latency or '-':>6} / {throughput:<6} measured "
              f"{'/'.join(f'{one:.2f}' for one in latencies(measured[name])) or '-'} / "
              f"{measured[name]['throughput']:.2f}")
    print(f"{path}: {len(same)} of {len(same) + len(other)} forms within {SHARE:.0%}")
    return len(same)


def repeat(program, runs):
    """The difference of the values of the usual forms between runs."""
    seen = {}
    for _ in range(runs):
        for name, form in forms(program, USUAL).items():
            seen.setdefault((name, "throughput"), []).append(form["throughput"])
            for link in form["latency"]:
                seen.setdefault((name, link["from"], link["to"]), []).append(link["cycles"])
    spreads = [(max(values) - min(values)) / statistics.median(values)
               for values in seen.values() if statistics.median(values) >= 0.2]
    for most in (0.01, 0.05):
        share = sum(spread < most for spread in spreads) / len(spreads)
        print(f"{share:6.1%} of {len(spreads)} values ranged under {most:.0%} in {runs} runs")


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench passport", description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("--published", action="append", default=[], metavar="FILE",
                        help="compare with the values of this file; may be repeated")
    parser.add_argument("--runs", type=int, default=5, help="to compare with each other")
    parser.add_argument("--least", type=int, default=0,
                        help="exit status 1 if fewer forms agree with each file")
    parser.add_argument("--quiet", action="store_true", help="do not name differences")
    options = parser.parse_args(arguments)
    if not options.published:
        repeat(options.program, options.runs)
    counts = [compare(options.program, path, not options.quiet)
              for path in options.published]
    return 1 if any(count < options.least for count in counts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
