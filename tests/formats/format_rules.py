# SPDX-License-Identifier: Apache-2.0
"""What a document of each format must be, as the programs that read it see it. Each check
raises AssertionError, and returns what it read."""
import csv
import io
import json
import math
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

XSD = Path(__file__).resolve().parent / "junit.xsd"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
# Programs of CI that read a log take these for commands.
BEGINS, ANYWHERE = re.compile(r"(?m)^\s*::"), re.compile(r"##[a-z]*\[")
# Sites make links of these in Markdown.
LINK = re.compile(r"://|\bwww\.|(?<!\w)@\w|\w@[\w-]+\.|(?<!&)#\d|\bgh-\d", re.I)
NUMBER = r"[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?"


def check(good, what):
    if not good:
        raise AssertionError(what)


def text_of(data, commands=False):
    """Strict UTF-8 without control characters but line ends, and without commands to CI."""
    text = data.decode("utf-8")
    check(not CONTROL.search(text), f"control character {CONTROL.search(text)}")
    check(commands or not BEGINS.search(text), f"a command to CI: {BEGINS.search(text)}")
    check(not ANYWHERE.search(text), f"a command to CI: {ANYWHERE.search(text)}")
    return text


def strict_json(data):
    """JSON as other languages read it: no NaN, no Infinity, no key twice."""
    def constant(name):
        raise AssertionError(f"{name} is no JSON")

    def unique(pairs):
        keys = [key for key, _ in pairs]
        check(len(set(keys)) == len(keys), f"a key twice in {keys[:20]}")
        return dict(pairs)

    return json.loads(text_of(data), parse_constant=constant, object_pairs_hook=unique)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) \
        and math.isfinite(value)


def check_fields(row, required, optional, what):
    """`required` and `optional` map names to a type, "number", or a set of values."""
    known = {**required, **optional}
    for name in required:
        check(name in row, f"{what}: no {name} in {row}")
    for name, value in row.items():
        kind = known.get(name)
        check(kind is not None, f"{what}: unknown {name}")
        if kind == "number":
            check(is_number(value), f"{what}: {name} is {value!r}")
        elif isinstance(kind, set):
            check(value in kind, f"{what}: {name} is {value!r}")
        else:
            check(type(value) is kind, f"{what}: {name} is {value!r}")


# ---- JUnit ----

def junit(data):
    """{name of a case: (outcome, properties)}"""
    text_of(data)
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", XSD, "-"],
                              input=data, capture_output=True)
        check(done.returncode == 0, done.stderr.decode(errors="replace")[:2000])
    root = ElementTree.fromstring(data)
    cases = {}
    check(not root.attrib, "Ant's root has no attributes")
    for number, suite in enumerate(root):
        own = dict.fromkeys(("failure", "error", "skipped"), 0)
        told = {}
        for name, value in ((p.get("name"), p.get("value")) for p in suite.iter("property")):
            told.setdefault(name.rpartition(":")[0], {})[name.rpartition(":")[2]] = value
        check([child.tag for child in suite if child.tag != "testcase"]
              == ["properties", "system-out", "system-err"], "parts of a suite")
        check(suite.get("id") == str(number), "id of suite")
        check(re.fullmatch(r"[0-9]+\.[0-9]{3}", suite.get("time")), "time of suite")
        for case in suite.iter("testcase"):
            check(re.fullmatch(r"[0-9]+\.[0-9]{3}", case.get("time")), "time of case")
            check(len(case) < 2 and {child.tag for child in case} <= set(own),
                  "parts of a case")
            outcome = case[0].tag if len(case) else "pass"
            if outcome != "pass":
                own[outcome] += 1
            check(case.get("name") not in cases, f"twice: {case.get('name')}")
            check(f"{case.get('name')}: " in suite.find("system-out").text, "output of case")
            cases[case.get("name")] = (outcome, told.get(case.get("name"), {}))
        check(int(suite.get("tests")) == len(list(suite.iter("testcase"))), "tests of suite")
        check_counts(suite, own)
    return cases


def check_counts(element, outcomes):
    for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        check(int(element.get(name)) == outcomes[kind], f"{name} of {element.get('name')}")


# ---- Google Benchmark ----

GBENCH_ROW = {"name": str, "family_index": int, "per_family_instance_index": int,
              "run_name": str, "run_type": {"iteration", "aggregate"}, "repetitions": int,
              "threads": int, "iterations": int, "real_time": "number",
              "cpu_time": "number", "time_unit": {"ns"}}
GBENCH_RATES = {"items_per_second": "number", "bytes_per_second": "number"}
GBENCH_CACHE = {"type": {"Data", "Instruction", "Unified"}, "level": int, "size": int,
                "num_sharing": int}
GBENCH_CONTEXT = {"date": str, "host_name": str, "executable": str, "num_cpus": int,
                  "mhz_per_cpu": int, "cpu_scaling_enabled": bool, "caches": list,
                  "load_avg": list, "library_version": str,
                  "library_build_type": {"release", "debug"}, "json_schema_version": {1}}


def gbench(data):
    """{run_name: {"ns": [...], "mean": ns, "median": ns}}"""
    document = strict_json(data)
    check(set(document) == {"context", "benchmarks"}, "keys")
    context = document["context"]
    more = {key: str for key in context if key.startswith(("simdbench_", "unmeasured:"))}
    check_fields(context, GBENCH_CONTEXT, {"aslr_enabled": bool, **more}, "context")
    for cache in context["caches"]:
        check_fields(cache, GBENCH_CACHE, {}, "cache")
    families = {}
    for row in document["benchmarks"]:
        counters = {key: "number" for key in row if key.startswith("counter:")}
        family = families.setdefault(row["run_name"], {"ns": []})
        if row["run_type"] == "iteration":
            check_fields(row, {**GBENCH_ROW, "repetition_index": int}, GBENCH_RATES, "row")
            check(row["name"] == row["run_name"], "name")
            check(row["repetition_index"] == len(family["ns"]), "repetition_index")
            check(row["iterations"] > 0, "iterations")
            check(row["threads"] > 1 or row["cpu_time"] <= row["real_time"], "cpu_time")
            family["ns"].append(row["real_time"])
        else:
            check_fields(row, {**GBENCH_ROW, "aggregate_name": {"mean", "median"},
                               "aggregate_unit": {"time"}, "label": str},
                         {**GBENCH_RATES, **counters}, "aggregate")
            check(row["name"] == f"{row['run_name']}_{row['aggregate_name']}", "name")
            check(row["repetitions"] == len(family["ns"]), "repetitions")
            family[row["aggregate_name"]] = row["real_time"]
    for name, family in families.items():
        check(set(family) == {"ns", "mean", "median"}, f"aggregates of {name}")
        check(family["ns"], f"no rows of {name}")
        check(min(family["ns"]) * (1 - 1e-9) <= family["median"]
              <= max(family["ns"]) * (1 + 1e-9) or len(family["ns"]) > 1, "median")
    return families


# ---- github-action-benchmark ----

def github_action(data):
    """{name: value}"""
    rows = strict_json(data)
    check(isinstance(rows, list), "array")
    for row in rows:
        check_fields(row, {"name": str, "unit": {"ns"}, "value": "number"},
                     {"range": str, "extra": str}, "row")
        check(row["value"] > 0, "value")
    values = {row["name"]: row["value"] for row in rows}
    check(len(values) == len(rows), "a name twice")
    return values


# ---- Bencher ----

def bmf(data):
    """{name: {measure: (lower, value, upper)}}"""
    document = strict_json(data)
    cases = {}
    for name, measures in document.items():
        check(name and measures, f"empty: {name}")
        cases[name] = {}
        for slug, measure in measures.items():
            check(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug), f"slug {slug}")
            check_fields(measure, {"value": "number"},
                         {"lower_value": "number", "upper_value": "number"}, slug)
            lower = measure.get("lower_value", measure["value"])
            upper = measure.get("upper_value", measure["value"])
            check(lower <= measure["value"] <= upper, f"bounds of {name}: {measure}")
            cases[name][slug] = (lower, measure["value"], upper)
    return cases


# ---- benchstat ----

def benchstat(data):
    """{(arm, name): [ns]}, arm "" where there is none"""
    results, arm, units = {}, "", set()
    text = text_of(data.replace(b"\t", b" "))
    for line in text.splitlines():
        unit = re.fullmatch(r"Unit (\S+)( \S+=\S+)+", line)
        result = re.fullmatch(r"Benchmark([^a-z\s]\S*) ([0-9]+)((?: [0-9.e+-]+ \S+)+)", line)
        config = re.fullmatch(r"([a-z][^\sA-Z:]*): (.*)", line)
        check(bool(unit) + bool(result) + bool(config) == 1, f"no line of benchstat: {line}")
        if unit:
            units.add(unit[1])
        elif config:
            arm = config[2] if config[1] == "arm" else arm
        else:
            name, values = result[1], result[3].split()
            check(re.search(r"-[0-9]+$", name), f"no threads in {name}")
            check(all("=" in part for part in name.split("/")[1:]), f"parts of {name}")
            check(name.isascii() and int(result[2]) > 0, name)
            pairs = dict(zip(values[1::2], values[::2]))
            check(set(pairs) <= units | {"ns/op"} and "ns/op" in pairs, f"units of {line}")
            for value in pairs.values():
                check(re.fullmatch(NUMBER, value), f"number {value}")
            results.setdefault((arm, name), []).append(float(pairs["ns/op"]))
    return results


# ---- GitHub annotations ----

def annotations(data):
    """[(kind, title, message)], unescaped"""
    rows = []
    for line in text_of(data, commands=True).splitlines():
        command = re.fullmatch(r"::(error|warning|notice) (?:file=[^:,]+,line=[1-9]\d*,)?title=([^:,]*)::(.*)", line)
        check(command, f"no annotation: {line}")
        for part in command.groups():
            check(not re.search(r"%(?!25|0D|0A|3A|2C)", part), f"escape in {part}")
        title, message = (re.sub(r"%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), part)
                          for part in command.groups()[1:])
        check(title and message, line)
        rows.append((command[1], title, message))
    for kind in ("error", "warning", "notice"):
        check(sum(row[0] == kind for row in rows) <= 10, f"GitHub shows 10 of a kind: {kind}")
    check(rows and rows[-1][:2] == ("notice", "simdbench"), "summary")
    return rows


# ---- CSV, Markdown ----

def table(data):
    """[{column: text}]"""
    text_of(data.replace(b"\r\n", b"\n"))
    rows = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    check(len({len(row) for row in rows}) == 1, "rows differ in length")
    check(len(set(rows[0])) == len(rows[0]), "a column twice")
    for row in rows[1:]:
        check(not {"nan", "-nan", "inf", "-inf"} & set(row), f"no number: {row}")
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def markdown(data):
    text = text_of(data)
    check(len(data) < 1 << 20, f"{len(data)} bytes are too many for GitHub")
    check("<script>" not in text, "markup")
    check(not LINK.search(text), f"a link: {LINK.search(text)}")
    return text


RULES = {"annotations": annotations, "junit": junit, "gbench": gbench,
         "github-action": github_action, "bmf": bmf,
         "benchstat": benchstat, "csv": table, "markdown": markdown}
