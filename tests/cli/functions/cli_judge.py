# SPDX-License-Identifier: Apache-2.0
"""`simdbench judge`: cheats are rejected, honest kernels are not."""
import itertools
import json
import os
import platform
import re
import sys
import tempfile
import unittest
from pathlib import Path

from cli_tool import SHORT, SOURCE, Case, compile_library, environment, sanitized

sys.path.append(str(SOURCE / "tests/cheats"))
import honest

CHEATS = SOURCE / "tests/cheats"
SOURCES = CHEATS / "cheats.c", CHEATS / "callers.c", CHEATS / "tricks.c"
ODD = CHEATS / "odd.c", CHEATS / "odd_flow.c"
TURN = "void (int32_t to[h * w], const int32_t from[h * w], size_t h, size_t w)"
COMPACT = "size_t (u8 to[n] length return, const u8 from[n], size_t n)"
SMOOTH = "void (u8 *row = image + n, size_t n) for inout u8 image[3 * n]"
PLANES = "void (double to[n], const double *from[k][n], size_t k, size_t n)"
ADD = ("void (void *adder = from adder_new(7) free free, inout int32_t x[n], size_t n, "
       "uint32_t *first = 0)")
# The reason for which each of them is rejected.
REASONS = {
    "address": "wrong", "content": "wrong", "order": "wrong", "once": "wrong", "lazy": "wrong", "hurry": "wrong",
    "shape": "wrong", "asked": "wrong", "between": "wrong", "sampled": "wrong", "precision": "wrong",
    "old_output": "wrong", "tail": "wrong", "long_tail": "wrong", "mark": "unsafe",
    "thread": "helpers", "process": "helpers", "alarm": "helpers", "signal": "helpers",
    "idle": "helpers", "cpu": "helpers", "first": "helpers", "adjust": "helpers",
    "counter": "helpers", "requests": "helpers", "open": "unsafe",
    "async": "helpers", "clock": "clock", "few": "clock", "late": "clock",
    "overwrite": "dies|hangs|unsafe|wrong", "answers": "wrong", "inputs": "unsafe",
    "modes": "unsafe", "dlsym": "wrong", "dlopen": "wrong",
    "named": "wrong", "range": "wrong", "aligned": "wrong", "delta": "wrong",
    "second": "wrong", "larger": "wrong",
    "defer": "dies|unsafe|wrong", "no_number": "wrong", "infinite": "wrong", "sign": "wrong",
    "rare": "wrong", "registers": "dies|hangs|unsafe|wrong", "exit": "dies", "reply": "clock",
    "vdso": "clock|wrong", "pages": "dies|hangs|unsafe|wrong", "past": "unsafe",
    "read": "helpers", "queue": "helpers", "timer": "helpers",
}


@unittest.skipUnless(platform.machine() == "x86_64", "thunks are made for x86-64")
class Judge(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="simdbench-")))
        cls.known = compile_library(cls.home, "libknown.so", CHEATS / "known.c")
        cls.cheats = compile_library(cls.home, "cheats.so", *SOURCES, f'-DKNOWN="{cls.known}"')
        cls.file = cls.home / "poly.json"
        cls.declare(cls.file)

    @classmethod
    def declare(cls, path, **more):
        op = {"name": "poly", "library": str(cls.known), "reference": "poly_c",
              "prototype": "void (float y[n], const float x[n], size_t n)", "sizes": "256",
              "tolerance": "4ulp", "kernels": {"scalar": "poly_c", "avx2": "poly_avx2"}, **more}
        path.write_text(json.dumps({"functions": 1, "ops": [op]}), encoding="utf-8")

    def judge(self, *candidates, file=None, status=0, options=(), **more):
        """The verdicts, by function."""
        self.document = self.run_json(
            "judge", file or self.file, *options,
            *(f"--candidate={candidate}" for candidate in candidates), "--quiet", "--timeout=300s",
            *SHORT, status=status, **more)
        for entry in self.document["judge"]:
            for time in entry["times"]:    # by the ratios that are told
                self.assertLessEqual(time["to_best"], time["to_reference"])
        return {entry["candidate"].rpartition(":")[2]: entry for entry in self.document["judge"]}

    def test_cheats(self):
        """Those that have another clock alone meet the machine's, and CPU time tells of them."""
        source = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
        names = set(re.findall(r"^(?:__attribute__\S+ )?void cheat_(\w+)\(", source, re.M)) - {"linked"}
        self.assertEqual(names, set(REASONS))
        clocks = {name for name in names if REASONS[name].startswith("clock")}
        names -= clocks
        if sanitized():
            # It has a clock of its own, and one place each finds all wrong results and helpers.
            names = {name for name in names if REASONS[name] not in ("wrong", "helpers")}
            names |= {"tail", "thread"}
        verdicts = self.judge(*(f"{self.cheats}:cheat_{name}" for name in names), status=1)
        if not sanitized():
            verdicts |= self.judge(*(f"{self.cheats}:cheat_{name}" for name in clocks), status=1,
                                   env=environment(SIMDBENCH_TEST_CLOCK=""))
        for name, entry in verdicts.items():
            with self.subTest(name):
                self.assertEqual(entry["verdict"], "rejected", entry)
                # A sanitizer looks for a program that tells where a crash was, or ends there.
                more = "|helpers|dies" if sanitized() else ""
                self.assertRegex(entry["reason"], f"^({REASONS[name[6:]]}{more})$", entry)
                self.assertTrue(entry["detail"])
        self.assertEqual(self.document["results"], [])

    # A sanitizer's longjmp reads /proc, where a candidate may not look.
    @unittest.skipIf(sanitized(), "a crash ends a sanitized candidate")
    def test_alignment(self):
        """It is told, and one remark does not hide another one."""
        source = self.folder / "modes.c"
        source.write_text("#include <immintrin.h>\n#include <stddef.h>\n#include <stdlib.h>\n"
                          "#include <stdint.h>\n"
                          "void poly_c(float *, const float *, size_t);\n"
                          "void aligned(float *y, const float *x, size_t n) {\n"
                          "volatile __m128 first = _mm_setzero_ps();\n"
                          "if (n >= 4) first = *(const volatile __m128 *)x;\n"
                          "poly_c(y, x, n); }\n"
                          "void modes(float *y, const float *x, size_t n) {\n"
                          "aligned(y, x, n); if (n % 4) _mm_setcsr(_mm_getcsr() | 0x8040); }\n",
                          encoding="utf-8")
        library = compile_library(self.folder, "modes.so", source, CHEATS / "known.c")
        path = self.folder / "odd.json"
        self.declare(path, sizes="257")
        verdicts = self.judge(f"{library}:aligned", f"{library}:modes", file=path, status=1)
        self.assertEqual(verdicts["aligned"]["verdict"], "accepted", verdicts)
        self.assertIn("needs arrays", verdicts["aligned"]["note"])
        self.assertEqual(verdicts["modes"]["reason"], "unsafe", verdicts)

    def test_outsider(self):
        """While it is loaded, it cannot open the memory of the process that judges it."""
        entry, = self.judge(f"{self.cheats}:honest_outsider").values()
        self.assertEqual(entry["verdict"], "accepted", entry)

    def test_linked(self):
        """A function that calls the one that it is held against."""
        linked = compile_library(self.home, "linked.so", CHEATS / "callers.c", "-DLINKED",
                                 '-DKNOWN=""', str(self.known))
        entry, = self.judge(f"{linked}:cheat_linked", status=1).values()
        self.assertEqual(entry["reason"], "reference", entry)
        self.assertIn(str(self.known), entry["detail"])

    def test_loading(self):
        """Modes of floats that change then are those of its caller; memory may be others'."""
        library = compile_library(self.home, "modes.so", CHEATS / "callers.c", "-DMODES",
                                  '-DKNOWN=""')
        entry, = self.judge(f"{library}:cheat_linked", status=1).values()
        self.assertEqual(entry["reason"], "unsafe", entry)
        self.assertIn("loading it changes", entry["detail"])
        for way in "mlrh":
            library = compile_library(self.home, f"{way}.so", CHEATS / "callers.c",
                                      f'-DSHARED="{self.folder}/shared"', f"-DWAY='{way}'",
                                      '-DKNOWN=""')
            entry, = self.judge(f"{library}:cheat_linked", status=1).values()
            self.assertEqual(entry["reason"], "helpers", (way, entry))
            self.assertRegex(entry["detail"], "share|hides its files from simdbench")

    def inverse(self):
        """Functions that are right, or wrong where numbers are rare."""
        source = self.folder / "inverse.c"
        source.write_text("#include <stddef.h>\n#include <math.h>\n"
                          "void inverse(float *y, const float *x, size_t n) {\n"
                          "for (size_t i = 0; i < n; i++) y[i] = 1 / x[i]; }\n"
                          "void no_infinity(float *y, const float *x, size_t n) {\n"
                          "for (size_t i = 0; i < n; i++) y[i] = x[i] == 0 ? 7 : 1 / x[i]; }\n"
                          "void number(float *y, const float *x, size_t n) {\n"
                          "for (size_t i = 0; i < n; i++) y[i] = x[i] != x[i] ? 7 : 1 / x[i]; }\n"
                          "void none(float *y, const float *x, size_t n) {\n"
                          "for (size_t i = 0; i < n; i++) y[i] = x[i] == 1 ? NAN : 1 / x[i]; }\n",
                          encoding="utf-8")
        return compile_library(self.folder, "libinverse.so", source)

    def test_edges(self):
        """No other value is near a right one that is infinite or no number."""
        library, path = self.inverse(), self.folder / "inverse.json"
        for tolerance in "rel:1e-5", "abs:1e-3", "4ulp", "exact":
            self.declare(path, library=str(library), kernels={"scalar": "inverse"},
                         reference="inverse", tolerance=tolerance, inputs={"x": "edges"})
            verdicts = self.judge(*(f"{library}:{name}" for name in
                                    ("inverse", "no_infinity", "number", "none")), file=path, status=1)
            self.assertEqual({name: entry["reason"] for name, entry in verdicts.items()},
                             {"inverse": None, "no_infinity": "wrong", "number": "wrong",
                              "none": "wrong"})

    def test_rare_numbers(self):
        """They are told, and reject nobody if the declaration does not have them."""
        library, path = self.inverse(), self.folder / "inverse.json"
        self.declare(path, library=str(library), kernels={"scalar": "inverse"},
                     reference="inverse")
        verdicts = self.judge(f"{library}:inverse", f"{library}:number", file=path)
        self.assertIsNone(verdicts["inverse"]["note"])
        self.assertRegex(verdicts["number"]["note"], "^is not as inverse on inputs that are NaN")

    def test_odd(self):
        """Memory, order, instructions and choices of their own are allowed."""
        text = "".join(path.read_text(encoding="utf-8") for path in ODD)
        compile_library(self.folder, "libodd.so", *ODD, "-lm")
        honest.write(self.folder)
        compile_library(self.folder, "libknown.so", self.folder / "known.c")
        for kind, file, op, least in (("void map", self.file, "poly", 20),
                                      ("float sum", self.folder / "honest.json", "total", 6)):
            names = re.findall(rf"^(?:__attribute__\S+ )?{kind}(_\w+)\(", text, re.M)
            names = [kind.split()[1] + name for name in names]
            self.assertGreaterEqual(len(names), least)
            if not re.search(r"\bavx\b", Path("/proc/cpuinfo").read_text(encoding="utf-8")):
                names = [name for name in names if name != "map_masked"]
            verdicts = self.judge(*(f"{self.folder}/libodd.so:{name}"
                                    for name in names[::5 if sanitized() else 1]),
                                  file=file, options=[op])
            for name, entry in verdicts.items():
                with self.subTest(name):
                    self.assertEqual(entry["verdict"], "accepted", entry)

    def test_honest(self):
        """Of 100 kernels a third, in which each way to unroll is with each instruction set; all with
        SIMDBENCH_LONG=1. Those run that this CPU can."""
        functions = honest.write(self.folder)
        for name in "known", "honest":
            compile_library(self.folder, f"lib{name}.so", self.folder / f"{name}.c")
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        have = set(re.findall(r"\S+", flags))
        step = 10 if sanitized() else 1 if os.environ.get("SIMDBENCH_LONG") else 3
        count = 0
        for at, (op, group) in enumerate(itertools.groupby(functions, key=lambda entry: entry[0])):
            names = [function for _, function, target in group
                     if set(filter(None, target.split(","))) <= have]
            names = names[at % 3 % step::step] or names[:1]
            verdicts = self.judge(*(f"{self.folder}/libhonest.so:{name}" for name in names),
                                  file=self.folder / "honest.json", options=[op])
            for name, entry in verdicts.items():
                self.assertEqual(entry["verdict"], "accepted", entry)
                self.assertGreater(entry["shapes"], 5)
                self.assertGreater(entry["calls"], 1000)
                count += 1
        self.assertGreaterEqual(count, 50 // step)

    def test_answer(self):
        """The same code is told, and rows of an ordinary run stand above the verdict."""
        verdicts = self.judge(self.known)
        self.assertEqual(set(verdicts), {"poly_c", "poly_avx2"})
        for name, entry in verdicts.items():
            self.assertEqual(entry["same_as"], name)
            time, = entry["times"]
            self.assertEqual((time["shape"], time["reference"]), ("256", "poly_c"))
            self.assertLess(abs(time["to_reference"] - 1), 0.1)
            lo, hi = time["reference_ci"]
            self.assertLessEqual(lo, time["to_reference"])
            self.assertGreaterEqual(hi, time["to_reference"])
        ids = {row["id"] for row in self.document["results"]}
        self.assertLessEqual({"poly:poly/f32/scalar/poly_c@256",
                              "candidate:poly/f32/lib/poly_c@256",
                              "candidate2:poly/f32/lib/poly_avx2@256"}, ids)
        text = self.run_tool("report", self.folder / "run.json").stdout
        self.assertRegex(text, r"poly_c: accepted: all results of \d+ calls at \d+ shapes are right; "
                               r"its code is that of poly_c\nat 256: .* times as fast as poly_c")
        self.run_tool("report", self.folder / "run.json", f"--json={self.folder}/again.json")
        again = self.load(self.folder / "again.json")
        self.assertEqual(again["judge"], self.document["judge"])

    def test_inputs_that_are_alike(self):
        """They are in the checks alone: of what is timed nothing can be kept."""
        path, told = self.folder / "told.json", self.folder / "told"
        self.declare(path, kernels={"scalar": "poly_told"}, reference="poly_told")
        entry, = self.judge(f"{self.known}:poly_c", file=path,
                            env=environment(TOLD=str(told))).values()
        self.assertEqual(entry["verdict"], "accepted", entry)
        calls = told.read_text(encoding="ascii")
        self.assertIn(".=.=.=.", calls)
        self.assertIn("." * 200, calls)
        entry, = self.judge(f"{self.known}:poly_c", options=["--input=zero"]).values()
        self.assertIn("the same inputs in all calls", entry["note"])

    def test_slower(self):
        """One that is right and slow is explained, where it is slowest."""
        verdicts = self.judge(self.known, env=environment(SIMDBENCH_TEST_CLOCK="1,poly_c=4"))
        self.assertTrue(verdicts["poly_c"]["cause"])
        self.assertEqual(verdicts["poly_c"]["cause_shape"], "256")
        self.assertIsNone(verdicts["poly_avx2"]["cause"])
        self.run_tool("report", self.folder / "run.json", f"--json={self.folder}/again.json")
        again = self.load(self.folder / "again.json")
        self.assertEqual(again["judge"], self.document["judge"])
        text = self.run_tool("report", self.folder / "run.json").stdout
        self.assertEqual(text.count("at 256 explain finds first: "), 1)

    def test_declarations(self):
        """Matrices, lengths that are reported, tables of pointers, objects."""
        for name, prototype, sizes in (
                ("turn", TURN, "9x20"), ("compact", COMPACT, "300"),
                ("smooth", SMOOTH, "70"),
                ("planes", PLANES, "3x40"),
                ("add", ADD, "50")):
            path = self.folder / f"{name}.json"
            self.declare(path, name=f"{name}_op", prototype=prototype, kernels={"scalar": name},
                         reference=name, sizes=sizes, tolerance="exact")
            entry, = self.judge(self.known, file=path).values()
            self.assertEqual((entry["verdict"], entry["same_as"]), ("accepted", name), entry)
            self.assertEqual(entry["times"][0]["shape"], sizes)

    def test_cheats_of_other_ops(self):
        for name, known, prototype, sizes in (
                ("turn_square", "turn", TURN, "20x20"),
                ("compact_nothing", "compact", COMPACT, "300"),
                ("compact_more", "compact", COMPACT, "300"),
                ("smooth_nothing", "smooth", SMOOTH, "70"), ("planes_few", "planes", PLANES, "2x40")):
            path = self.folder / f"{name}.json"
            self.declare(path, name=f"{known}_op", prototype=prototype, kernels={"scalar": known},
                         reference=known, sizes=sizes, tolerance="exact")
            entry, = self.judge(f"{self.cheats}:{name}", file=path, status=1).values()
            self.assertEqual(entry["reason"], "wrong", entry)

    def test_state(self):
        """An array that a function of the known library fills."""
        state = self.folder / "state.c"
        state.write_text("#include <stdint.h>\n#include <stddef.h>\n"
                         "void state_begin(uint32_t *state) { state[0] = 7; }\n"
                         "void add(uint32_t *state, const uint32_t *x, size_t n) {\n"
                         "for (size_t i = 0; i < n; i++) state[0] += x[i] ^ state[0]; }\n",
                         encoding="utf-8")
        known = compile_library(self.folder, "libstate.so", state)
        state.write_text(state.read_text(encoding="utf-8").replace("state_begin", "other"),
                         encoding="utf-8")
        candidate = compile_library(self.folder, "new.so", state)
        path = self.folder / "state.json"
        self.declare(path, prototype="void (inout uint32_t s[1] then state_begin(s), "
                     "const uint32_t x[n], size_t n)", name="state_op", library=str(known),
                     kernels={"scalar": "add"}, reference="add", sizes="50", tolerance="exact")
        entry, = self.judge(f"{candidate}:add", file=path).values()
        self.assertEqual(entry["verdict"], "accepted", entry)

    def test_object_that_alone_changes(self):
        path = self.folder / "object.json"
        self.declare(path, prototype="void (void *s = from calloc(1, 4), const float x[n], "
                     "size_t n)")
        done = self.run_tool("judge", path, f"--candidate={self.known}:poly_c", status=2)
        self.assertIn("nobody could tell whether it is right", done.stderr)

    def test_known_of_another_prototype(self):
        path = self.folder / "exit.json"
        self.declare(path, library="libc.so.6", kernels={"scalar": "exit"}, reference="exit")
        done = self.run_tool("judge", path, f"--candidate={self.known}:poly_avx2", status=2)
        self.assertIn("a known function ends its process; does the prototype fit", done.stderr)

    def test_memory_that_nobody_sees(self):
        """A text that a function makes is not compared: nobody is right or wrong."""
        source = "#include <string.h>\nchar *copy(const char *s) { return strdup(%s); }\n"
        for name, text in ("known", "s"), ("new", '""'):
            self.folder.joinpath(f"{name}.c").write_text(source % text, encoding="utf-8")
            compile_library(self.folder, f"{name}.so", self.folder / f"{name}.c")
        path = self.folder / "copy.json"
        for free in "free free", "":
            self.declare(path, name="copy_op", library=str(self.folder / "known.so"),
                         kernels={"scalar": "copy"}, reference="copy", tolerance="exact",
                         sizes="50", prototype=f"char *(const char s[n]) {free} for n")
            done = self.run_tool("judge", path, f"--candidate={self.folder}/new.so:copy", status=2)
            self.assertIn("nobody could tell whether it is right", done.stderr)

    def test_memory_that_is_seen_elsewhere(self):
        """Where one size shows nothing, others do."""
        source = self.folder / "middle.c"
        source.write_text("#include <stddef.h>\nstatic const char none;\n"
                          "const char *middle(const char *s, size_t n) {\n"
                          "return n < 8 ? &none : s + n / 2; }\n", encoding="utf-8")
        libraries = [compile_library(self.folder, f"{name}.so", source)
                     for name in ("known", "new")]
        path = self.folder / "middle.json"
        self.declare(path, name="middle_op", library=str(libraries[0]), sizes="4,100",
                     kernels={"scalar": "middle"}, reference="middle", tolerance="exact",
                     prototype="const char *(const char s[n], size_t n)")
        entry, = self.judge(f"{libraries[1]}:middle", file=path).values()
        self.assertEqual(entry["verdict"], "accepted", entry)

    def test_known_that_hangs(self):
        """The prototype is not blamed for it."""
        source, path = self.folder / "hang.c", self.folder / "hang.json"
        source.write_text("void hang(int *x) { for (volatile int i = 1; i;) {} }\n",
                          encoding="utf-8")
        library = compile_library(self.folder, "hang.so", source)
        self.declare(path, name="hang_op", library=str(library), kernels={"scalar": "hang"},
                     reference="hang", prototype="void (int x[n]) for n", sizes="4")
        done = self.run_tool("judge", path, f"--candidate={library}:hang", "--timeout=1s",
                             status=2)
        self.assertIn("killed", done.stderr)
        self.assertNotIn("prototype", done.stderr)

    def test_maker_that_crashes(self):
        """A candidate that dies before its first call is rejected."""
        source, path = self.folder / "maker.c", self.folder / "maker.json"
        source.write_text("#include <stdlib.h>\nvoid *adder_new(int n) { abort(); }\n"
                          "void add(void *adder, int *x, size_t n, unsigned *first) {}\n",
                          encoding="utf-8")
        self.declare(path, name="add_op", kernels={"scalar": "add"}, reference="add",
                     prototype=ADD, sizes="50", tolerance="exact")
        library = compile_library(self.folder, "maker.so", source)
        entry, = self.judge(f"{library}:add", file=path, status=1).values()
        self.assertIn(entry["reason"], ("dies", "helpers") if sanitized() else ("dies",), entry)

    def test_seed(self):
        """The same seed draws the same shapes and inputs."""
        first, = self.judge(f"{self.cheats}:cheat_shape", status=1).values()
        again, = self.judge(f"{self.cheats}:cheat_shape", status=1,
                            options=[f"--seed={first['seed']}"]).values()
        self.assertEqual(first, again)

    def test_known_that_is_wrong(self):
        """It is no witness, and no opponent."""
        path = self.folder / "odd.json"
        self.declare(path, kernels={"scalar": ["poly_c", "poly_bad"]})
        entry, = self.judge(f"{self.known}:poly_avx2", file=path).values()
        self.assertEqual({entry["times"][0][name] for name in ("reference", "best")}, {"poly_c"})
        done = self.run_tool("judge", path, f"--candidate={self.known}:poly_bad", *SHORT, status=1)
        self.assertIn("poly_bad is wrong itself, and left out", done.stderr)
        self.assertIn("poly_bad: rejected (wrong): at 256", done.stdout)
        self.declare(path, kernels={"scalar": "poly_c"}, reference="poly_null")
        done = self.run_tool("judge", path, f"--candidate={self.known}:poly_c", status=2)
        self.assertRegex(done.stderr, "256: .*worker (died|exited)")

    def test_mistakes(self):
        env = environment(TMPDIR=str(self.folder))
        for words, message in (
                ((), "whose function is judged"),
                (["--candidate=./none.so"], "none.so"),
                ([f"--candidate={self.cheats}"], "no function of op poly"),
                ([f"--candidate={self.known}:poly_d"], "did you mean poly_c"),
                (["other", f"--candidate={self.known}"], "no op other: it declares poly; name one")):
            done = self.run_tool("judge", self.file, *words, status=2, env=env)
            self.assertIn(message, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])
