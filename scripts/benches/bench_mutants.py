# SPDX-License-Identifier: Apache-2.0
"""bench_mutants.py [--seed=N] [--per-file=N] [--file=PATH]... [--jobs=N]: changes one token
of a C file at a time, in a copy of the tree, and counts how many of these mutants the unit
tests notice. See scripts/bench.

A mutant is killed if a test fails or takes too long. One that does not compile, or compiles
to the same object file, is drawn again. One that cannot be noticed is judged equivalent in
scripts/benches/mutants_equivalent.txt. Exit status 1 if less than 90% of the others are killed."""
import argparse
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build/mutants"
BUILD = TREE / "build/test"
JUDGED = ROOT / "scripts/benches/mutants_equivalent.txt"
LEAST = 0.9
SLOW, PATIENCE = 3, 10  # seconds: a test that is left out; the least that counts as endless

# Names of files are unique. The tests of a file are the quick ones of its suite, which is
# its topmost folder.
FILES = ("stats.c", "gate.c", "summarise.c", "json_value.c", "counters.c", "check.c",
         "split.c", "gain.c", "plan.c", "plan_group.c", "select.c", "settle.c", "batch.c",
         "rounds.c", "run.c", "case.c", "ab_process.c", "ab_rounds.c", "ab.c")

# No signal and no process of a mutant reaches others, and it takes no more than its share.
CELL = ("unshare", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "--pid",
        "--fork", "--kill-child", "--mount-proc", "prlimit", "--as=8589934592",
        "--fsize=268435456:", "--core=0", "sh", "-c", '"$@"; exit $?', "sh")

# token: what replaces it; "" drops it
BINARY = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
          "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",),
          "*": ("/",), "/": ("*",), "%": ("*",), "&": ("|",), "|": ("&",), "<<": (">>",),
          ">>": ("<<",), "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",),
          "|=": ("&=",), "&=": ("|=",), "++": ("--",), "--": ("++",)}
UNARY = {"!": ("",), "-": ("",), "++": ("--",), "--": ("++",)}
WORDS = {"true": ("false",), "false": ("true",), "break": ("continue",),
         "continue": ("break",)}
TOKEN = re.compile(r"""
    (?P<skip>\s+ | //.* | /\*(?s:.*?)\*/ | (?<![^\n])[ ]*\#(?:.*\\\n)*.*
        | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*')
    | (?P<float>0[xX][\da-fA-F.]+[pP][+-]?\d+ | (?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?[fFlL]?
        | \d+[eE][+-]?\d+[fFlL]?)
    | (?P<int>(?:0[xX][\da-fA-F]+|\d+)(?P<suffix>[uUlL]*))
    | (?P<word>[A-Za-z_]\w*)
    | (?P<mark>->|\.\.\.|<<=|>>=|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|<<|>>|.)""", re.X)


def replacements(match, operand):
    """What may stand in the place of a token; operand: one stands before it."""
    text = match.group()
    if text in "*&" and match.string[match.end()] != " ":
        return ()  # of a pointer
    if match["int"]:
        number = int(text.rstrip("uUlL"), 0 if text[:2] in ("0x", "0X") else 10)
        return [f"{n}{match['suffix']}" for n in (number + 1, number - 1) if n >= 0]
    if match["float"]:
        return [f"({text} + 1)"]
    if match["word"]:
        return WORDS.get(text, ())
    return (BINARY if operand else UNARY).get(text, ())


def sites(source):
    """(position, old token, new tokens) of all that can be changed."""
    found, operand = [], False
    for match in TOKEN.finditer(source):
        if match["skip"]:
            continue
        if new := replacements(match, operand):
            found.append((match.start(), match.group(), new))
        operand = (match.lastgroup != "mark" or match.group() in ")]") and (
            match.group() not in ("return", "case", "else"))
    return found


class Mutant:
    def __init__(self, name, source, at, old, new):
        self.source = source[:at] + new + source[at + len(old):]
        self.line = source.count("\n", 0, at) + 1
        self.text = f"{name}:{self.line}: {old} -> {new or 'nothing'}"
        self.lines = [text.split("\n")[self.line - 1].strip()
                      for text in (source, self.source)]
        self.key = (name, *self.lines)


def drawn(name, source, seed):
    """All mutants of a file, one a token, in random order."""
    chance = random.Random(f"{seed} {Path(name).name}")
    found = sites(source)
    chance.shuffle(found)
    return [Mutant(name, source, at, old, chance.choice(new)) for at, old, new in found]


def judged():
    """{(file, line, changed line)} of the list."""
    entries = [(name, *entry) for name, lines in re.findall(
                   r"^(\S+\.c)\n((?:[-+] .*\n)+)", JUDGED.read_text(encoding="utf-8"), re.M)
               for entry in re.findall(r"- (.*)\n\+ (.*) // .", lines)]
    for name, line, _ in entries:
        path = ROOT / name
        if not path.exists() or line not in map(str.strip, path.read_text().split("\n")):
            print(f"{JUDGED.name}: {name} has no line any more: {line}")
    return set(entries)


def copy_tree():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"],
                            capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(lambda name: name and (ROOT / name).is_file(), listed):
        new = TREE / name
        if not new.exists() or new.read_bytes() != (ROOT / name).read_bytes():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, new)  # with the time of now: Ninja has to see it
    return listed


class Build:
    def __init__(self, jobs):
        self.ninja = ["ninja", "-C", BUILD, f"-j{jobs}"]
        if not (BUILD / "build.ninja").exists():
            env = {**os.environ, "CC": os.environ.get("CC") or shutil.which("clang-19") or "cc"}
            subprocess.run(["meson", "setup", BUILD, TREE, "--buildtype=release",
                            "-Dtests=enabled"], env=env, stdout=subprocess.DEVNULL, check=True)
        self.make("build.ninja")
        targets = self.introspect("--targets")
        self.files = {t["id"]: t["filename"][0] for t in targets}
        self.all_tests = [t for t in self.introspect("--tests") if "/tests/" in t["cmd"][0]]
        self.by_name = {t["name"]: t for t in self.all_tests}
        commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        self.objects = {os.path.normpath(BUILD / c["file"]): c["output"] for c in commands}

    @staticmethod
    def introspect(what):
        return json.loads(subprocess.run(["meson", "introspect", what, BUILD], check=True,
                                         capture_output=True).stdout)

    def make(self, *targets):
        """The output if it fails."""
        done = subprocess.run([*self.ninja, *targets], capture_output=True, text=True,
                              check=False)
        return done.stdout if done.returncode else None

    def tests(self, suite, stem):
        """Tests of a suite that pass, with what counts as endless; those named like the file
        first, then the quick ones."""
        tests = [t for t in self.all_tests if t["suite"][0].endswith(f":{suite}")]
        if failed := self.make(*{os.path.relpath(self.files[i], BUILD)
                                 for t in tests for i in t["depends"]}):
            sys.exit(failed)
        named = [(stem not in t["name"], t["name"]) for t in tests]
        found = sorted((other, seconds, name) for other, name in named
                       if (seconds := self.seconds(name, SLOW if other else 60)))
        return [(self.by_name[name], max(PATIENCE, 10 * seconds))
                for _, seconds, name in found]

    @functools.cache
    def seconds(self, name, limit):
        started = time.monotonic()
        if self.run(self.by_name[name], limit):
            return time.monotonic() - started
        print(f"{name}: left out, it fails or takes {limit} s", flush=True)
        return None

    @staticmethod
    def run(test, seconds):
        try:
            return not subprocess.run([*CELL, *test["cmd"]], cwd=BUILD, timeout=seconds,
                                      env={**os.environ, **test["env"]}, check=False,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                      stdin=subprocess.DEVNULL).returncode
        except subprocess.TimeoutExpired:
            return False


def bench_file(build, name, options, equivalent):
    """Counts of mutants by what became of them."""
    path, source = TREE / name, (ROOT / name).read_text(encoding="utf-8")
    tests = build.tests(name.split("/", maxsplit=1)[0], Path(name).stem)
    target = build.objects[str(path)]
    build.make(target)
    original = (BUILD / target).read_bytes()
    programs = [os.path.relpath(test["cmd"][0], BUILD) for test, _ in tests]
    count = {"killed": 0, "survived": 0, "equivalent": 0}

    def fate(mutant):
        if mutant.key in equivalent:
            return "equivalent", ""
        path.write_text(mutant.source, encoding="utf-8")
        if (build.make(target) or (BUILD / target).read_bytes() == original
                or build.make(*programs)):
            return None, ""
        for test, seconds in tests:
            if not build.run(test, seconds):
                return "killed", f" by {test['name']}"
        return "survived", "\n    - {}\n    + {}".format(*mutant.lines)

    try:
        for mutant in drawn(name, source, options.seed):
            if sum(count.values()) == options.per_file:
                break
            what, detail = fate(mutant)
            if what:
                count[what] += 1
                print(f"{mutant.text}: {what}{detail}", flush=True)
    finally:
        path.write_text(source, encoding="utf-8")
    return count


def show(table):
    print(f"\n{'file':<32} mutants  killed  survived  equivalent  % killed")
    total = {}
    for name, count in table.items():
        total = {k: total.get(k, 0) + n for k, n in count.items()}
    for name, count in [*table.items(), ("all", total)]:
        killed, survived, equivalent = count.values()
        share = killed / (killed + survived) if killed + survived else 1
        print(f"{name:<32} {sum(count.values()):7}  {killed:6}  {survived:8}  {equivalent:10}"
              f"  {100 * share:8.0f}")
    good = share >= LEAST
    print(f"killed of those not equivalent: target >= {100 * LEAST:.0f}%, "
          f"{'ok' if good else 'MISS'}")
    return good


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench mutants", allow_abbrev=False)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which mutants (1)")
    parser.add_argument("--per-file", type=int, default=6, metavar="N", help="how many (6)")
    parser.add_argument("--file", action="append", metavar="PATH",
                        help="a C file; may be repeated")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="of ninja (2)")
    options = parser.parse_args()
    names = {Path(name).name: name for name in copy_tree() if name.endswith(".c")}
    build, equivalent, table = Build(options.jobs), judged(), {}
    for file in options.file or FILES:
        name = names.get(Path(file).name)
        if name:
            table[name] = bench_file(build, name, options, equivalent)
        else:
            print(f"{file}: no such file")
    return 0 if show(table) else 1


if __name__ == "__main__":
    sys.exit(main())
