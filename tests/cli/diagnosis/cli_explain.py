# SPDX-License-Identifier: Apache-2.0
"""simdbench explain: cases and ops, what it prints and writes, and what it cannot do."""
import math
import platform
import re

from cli_tool import *

CASE = "relu/f32/scalar/max@64"
EXPERIMENTS = {"control", "small_shape", "few_shape", "place", "flush_denormals", "huge_pages", "input_zero",
               "kept_heap", "fresh_output", "input_constant", "alignment", "page_offset",
               "one_thread", "other_isa", "layout", "other_core", "input_sorted",
               "input_repeated", "input_keys", "cold_caches"}
COPIES = "sanitizers keep code from being copied"
# Only where code can be copied.
CODE_ALONE = {"same_place", *(f"edit_{name}" for name in (
    "chain", "gather", "divide", "store", "spill", "forward", "call",
    "vex", "cached", "whole"))}


class Explain(Case):
    def explained(self, *arguments, **more):
        """The results with an explanation."""
        document = self.run_json("explain", *arguments, **more)
        return [r for r in document["results"] if r["explanation"]]

    def ratios(self, *arguments):
        (result,) = self.explained(*arguments)
        return {r["name"]: r for r in result["explanation"]["experiments"]}

    def test_a_case(self):
        """All parts are there, also when printed again; every ratio has interval or reason."""
        path = self.folder / "run.json"
        text = self.run_tool("explain", CASE, f"--json={path}", "--quiet").stdout
        result = next(r for r in self.load(path)["results"] if r["explanation"])
        self.assertEqual(result["id"], CASE)
        for part in (CASE, "findings", "residual", "experiments"):
            self.assertIn(part, text)
        ratios = result["explanation"]["experiments"]
        self.assertEqual({r["name"] for r in ratios} - CODE_ALONE, EXPERIMENTS)
        for ratio in ratios:
            with self.subTest(name=ratio["name"]):
                if ratio.get("absent"):
                    self.assertIsNone(ratio["ratio"])
                else:
                    low, high = ratio["ci"]
                    self.assertLessEqual(low, ratio["ratio"])
                    self.assertLessEqual(ratio["ratio"], high)
        if platform.machine() == "x86_64":
            flush = next(r for r in ratios if r["name"] == "flush_denormals")
            self.assertIn("meets no such number", flush["absent"])
        again = self.run_tool("report", path).stdout
        for line in text.splitlines():
            self.assertIn(line, again)

    def test_conditions_that_a_case_has_already(self):
        ratios = self.ratios(f"{CASE};cache=cold;align=16")
        self.assertIn("cold", ratios["cold_caches"]["absent"])
        self.assertIn("alignment of its own", ratios["page_offset"]["absent"])
        self.assertIsNone(ratios["alignment"].get("absent"))

    def test_experiments_reach_the_kernel(self):
        """Made-up times count the pages that each call gets; nothing else differs in them."""
        ratios = self.ratios("relu/f32/scalar/max@16384")
        self.assertEqual(ratios["input_zero"]["reaches"], "operands")
        # 16 pages of 500 ns beside 131 us of work.
        for name, ratio in ("input_zero", 1), ("cold_caches", 1), ("fresh_output", 1.06):
            self.assertAlmostEqual(ratios[name]["ratio"], ratio, delta=0.02)

    @unittest.skipIf(sanitized(), COPIES)
    def test_places(self):
        """Copies 6 and 7 of 16 are twice as fast as all others: 20 and 24 bytes further. One
        alone would be chance."""
        path = self.folder / "run.json"
        done = self.run_tool("explain", CASE, f"--json={path}", "--quiet",
                             env=environment(SIMDBENCH_TEST_CLOCK="1,max@6=0.5,max@7=0.5"))
        result = next(r for r in self.load(path)["results"] if r["explanation"])
        ratios = {r["name"]: r for r in result["explanation"]["experiments"]}
        if ratios["place"].get("absent"):
            self.skipTest(ratios["place"]["absent"])
        self.assertAlmostEqual(ratios["place"]["ratio"], 0.5, delta=0.01)
        self.assertAlmostEqual(ratios["same_place"]["ratio"], 1, delta=0.01)
        first, *others = result["findings"]
        self.assertEqual(first["cause"], "placement")
        self.assertAlmostEqual(first["share"], 0.5, delta=0.01)
        at, best = re.search(r"begins (\d+) bytes .* (\d+) bytes into one it is",
                             first["text"]).groups()
        self.assertIn((int(best) - int(at)) % 64, (20, 24))
        self.assertNotIn("at-limit", [f["cause"] for f in others])
        self.assertIn("placement", done.stdout)
        ratios = self.ratios(CASE)
        self.assertAlmostEqual(ratios["place"]["ratio"], 1, delta=0.01)

    def test_an_op_with_options(self):
        found = self.explained("relu", "--isa=scalar", "--sizes=8,12", "--variants=max",
                               "--type=f64")
        self.assertEqual([r["id"] for r in found],
                         ["relu/f64/scalar/max@8", "relu/f64/scalar/max@12"])

    def test_dry_run(self):
        text = self.run_tool("explain", "relu", "gemm/maxplus-f32/scalar/add@8", "--isa=scalar",
                             "--sizes=64", "--variants=max", "--dry-run", "--seed=3").stdout
        self.assertEqual(text.splitlines(), ["seed 3", "relu/f32/scalar/max@64",
                                             "gemm/maxplus-f32/scalar/add@8"])

    def test_ids_come_back(self):
        """What a dry run prints as an id is read and printed as it is, settings too."""
        plans = (("all", "--isa=all", "--type=all", "--pages=2m"),
                 ("gemm", "--sizes=8", "--cache=cold", "--align=128", "--threads=1,2"),
                 ("tanh", "--sizes=64", "--input=small", "--accuracy-at-most=2"))
        ids = [line.split()[0] for plan in plans
               for line in self.run_tool(*plan, "--dry-run", "--quiet").stdout.splitlines()
               if line.startswith("  ")]
        self.assertTrue(any(";threads=2;cache=cold;align=128" in i for i in ids))
        ids = ids[::EFFORT | 1]
        for at in range(0, len(ids), 64):
            part = ids[at:at + 64]
            text = self.run_tool("explain", *part, "--dry-run", "--seed=3").stdout
            self.assertEqual(text.splitlines(), ["seed 3", *part])

    def account(self, path, text):
        """That of a file, which prints again as it did; its product is exact."""
        account = self.load(path)["account"]
        printed = text[text.index(f"\nA {account['a']}\nB {account['b']}\n"):]
        self.assertIn(printed, self.run_tool("report", path).stdout)
        markdown = self.run_tool("report", path, "--format=markdown").stdout
        self.assertIn("| time | ", markdown)
        self.assertTrue(account["factors"], text)
        time, *factors = account["factors"]
        if account["absent"]:
            self.assertIn(account["absent"], text)
        else:
            product = math.prod(f["ratio"] for f in factors)
            self.assertAlmostEqual(product, time["ratio"], delta=1e-9 * time["ratio"])
        return account

    def test_two_cases_are_a_product(self):
        path = self.folder / "run.json"
        text = self.run_tool("explain", "gemm/maxplus-f32/scalar/add@8",
                             "gemm/maxplus-f32/scalar/add@16", f"--json={path}",
                             "--quiet").stdout
        self.assertIn("A gemm/maxplus-f32/scalar/add@8x8x8", text)
        account = self.account(path, text)
        results = {r["id"]: r for r in self.load(path)["results"]}
        for case in "ab":
            result = results[account[case]]
            self.assertAlmostEqual(
                account["factors"][0][case],
                result["summary"]["median_ns"] / result["work"]["ops"])
        factors = {m[1].strip(): float(m[2]) for m in re.finditer(
            r"(?m)^  (time|= instructions|x cycles|x 1 / clock) .*  x([0-9.]+)", text)}
        if "= instructions" in factors:
            product = (factors["= instructions"] * factors["x cycles"]
                       * factors["x 1 / clock"])
            self.assertAlmostEqual(product, factors["time"], delta=0.01 * factors["time"])
        else:
            self.assertIn("instructions an operation are not known", text)

    def test_two_builds(self):
        folders = [self.new_folder() for _ in range(2)]
        for folder in folders:
            shutil.copy(MODULES / "pace.so", folder)
        path = self.folder / "run.json"
        text = self.run_tool("explain", "pace:twice/f32/scalar/bad@64",
                             *(f"--plugin={f / 'pace.so'}" for f in folders),
                             f"--json={path}", "--quiet").stdout
        self.assertRegex(text, r"(?m)^A A:pace:")
        self.assertRegex(text, r"(?m)^B B:pace:")
        account = self.account(path, text)
        self.assertEqual(account["b"], "B:" + account["a"].removeprefix("A:"))

    def test_two_files(self):
        """Builds of a module with an op of its own, without the module's name."""
        folders = [self.new_folder() for _ in range(2)]
        builds = [shutil.copy(MODULES / "pace.so", folder) for folder in folders]
        path = self.folder / "run.json"
        text = self.run_tool("explain", *builds, "twice/f32/scalar/bad@64", f"--json={path}",
                             "--quiet").stdout
        self.assertRegex(text, r"(?m)^A A:pace:twice")
        account = self.account(path, text)
        self.assertAlmostEqual(account["factors"][0]["ratio"], 1, delta=0.01)
        for words in (builds, [*builds, "twice"], [*builds, CASE, CASE]):
            done = self.run_tool("explain", *words, status=2)
            self.assertIn("explain BASE.so HEAD.so CASE", done.stderr)

    @unittest.skipIf(sanitized(), COPIES)
    def test_edits(self):
        """Code is edited for real, times are made up: without its chain (copies 17 to 20) the
        case is twice as fast; without its stores (29 to 32) three times, which no cause needs."""
        case = "gemm/maxplus-f32/scalar/add@16"
        path = self.folder / "run.json"
        done = self.run_tool(
            "explain", case, f"--json={path}", "--quiet",
            env=environment(SIMDBENCH_TEST_CLOCK="1,add@18=0.5,add@19=0.5,add@30=0.33,add@31=0.33"))
        result = next(r for r in self.load(path)["results"] if r["explanation"])
        ratios = {r["name"]: r for r in result["explanation"]["experiments"]}
        if ratios["place"].get("absent"):
            self.skipTest(ratios["place"]["absent"])
        self.assertAlmostEqual(ratios["edit_chain"]["ratio"], 0.5, delta=0.01)
        self.assertIn("nothing of that kind", ratios["edit_divide"]["absent"])
        first, *others = result["findings"]
        self.assertEqual((first["cause"], first["confidence"]), ("latency-chain", "flipped"))
        self.assertAlmostEqual(first["share"], 0.5, delta=0.01)
        self.assertNotIn("at-limit", [f["cause"] for f in others])
        self.assertIn(f"\n\n{case}x16x16: up to 2 times slower than it", done.stdout)

    @unittest.skipIf(sanitized(), COPIES)
    def test_bounds_of_two_cases(self):
        """Of two cases of which one lies badly, the place alone makes the difference."""
        path = self.folder / "run.json"
        self.run_tool("explain", CASE, "relu/f32/scalar/branch@64",
                      f"--json={path}", "--quiet",
                      env=environment(SIMDBENCH_TEST_CLOCK="1,max=2," + ",".join(
                          f"max@{i}={1 if i in (6, 7) else 2}" for i in range(1, 65))))
        document = self.load(path)
        result = next(r for r in document["results"] if r["explanation"])
        if "placement" not in [f["cause"] for f in result["findings"]]:
            self.skipTest("nothing can be copied here")
        bounds = {row["name"]: row for row in document["account"]["bounds"]}
        self.assertEqual(bounds["placement"]["unit"], "100% of the difference")
        self.assertEqual(bounds["placement"]["b"], 0)

    @unittest.skipIf(sanitized(), COPIES)
    @unittest.skipUnless(platform.machine() == "x86_64", "movnt is of x86-64")
    def test_stores_of_two_cases(self):
        """What an edit takes away from one, and finds nothing of in the other, is told: stores
        past the caches (copies 49 to 52)."""
        source = self.folder / "copies.c"
        source.write_text("""#include <emmintrin.h>
            #define COPY(name, store) void name(char *y, const char *x, long n) { \\
            for (long i = 0; i < n; i += 16) \\
            store((__m128i *)(y + i), _mm_load_si128((const __m128i *)(x + i))); }
            COPY(past, _mm_stream_si128) COPY(into, _mm_store_si128)""", encoding="utf-8")
        library, path = self.folder / "libcopies.so", self.folder / "run.json"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        declared = self.folder / "copies.json"
        declared.write_text(json.dumps({"functions": 1, "ops": [{
            "name": "copies", "prototype": "void (u8 y[n], const u8 x[n], long n)",
            "library": str(library), "kernels": {"sse2": ["past", "into"]},
            "reference": "into"}]}), encoding="utf-8")
        self.run_tool("explain", "copies/u8/sse2/past@4096", "copies/u8/sse2/into@4096",
                      f"--plugin={declared}", f"--json={path}", "--quiet",
                      env=environment(SIMDBENCH_TEST_CLOCK="1,past=3,past@50=1,past@51=1"))
        document = self.load(path)
        result = next(r for r in document["results"] if r["explanation"])
        if "streaming-stores" not in [f["cause"] for f in result["findings"]]:
            self.skipTest("nothing can be copied here")
        row, = (r for r in document["account"]["bounds"] if r["name"] == "streaming-stores")
        self.assertEqual(row["b"], 0)
        self.assertEqual(row["unit"], "100% of the difference")

    def test_plugin_and_library(self):
        (result,) = self.explained("twice/f32/scalar/good@64",
                                   f"--plugin={MODULES / 'wrong_result.so'}")
        self.assertEqual(result["id"], "wrong_result:twice/f32/scalar/good@64")
        found = self.explained("gemm", "--baseline=openblas", "--isa=scalar", "--sizes=16")
        self.assertIn("openblas:gemm/plustimes-f32/lib/sgemm@16x16x16",
                      [r["id"] for r in found])

    @unittest.skipUnless(platform.machine() == "x86_64", "the tracer is for x86-64")
    def test_lines_of_ones_own(self):
        """What was inlined from a header has the line that calls it, whoever compiled it."""
        source = self.folder / "own.c"
        source.write_text("""#include <xmmintrin.h>
            void own(const float *x, float *y, long n) { for (long i = 0; i < n; i += 4)
            _mm_storeu_ps(y + i, _mm_sqrt_ps(_mm_loadu_ps(x + i))); }""", encoding="utf-8")
        for compiler in filter(shutil.which, ("gcc", "clang", "clang-19")):
            with self.subTest(compiler=compiler):
                library = self.folder / f"{compiler}.so"
                subprocess.run([compiler, "-g", "-O2", "-shared", "-fPIC", "-o", library, source],
                               check=True)
                result, = self.explained(f"{library}:own", "--sizes=4096",
                                         "void (const float x[n], float y[n], long n)")
                loop = result["explanation"]["loops"][0]
                self.assertRegex(loop["source"] or "", "^own.c:[23]$")

    @unittest.skipUnless(platform.machine() == "x86_64", "thunks are made for x86-64")
    def test_structures_that_are_written(self):
        """Their pointers are no inputs: values of the others change."""
        source = self.folder / "own.c"
        source.write_text("""struct to { const float *at; float first; };
            void own(const float *x, struct to *y, long n) { y->at = 0; y->first = 0;
            for (long i = 0; i < n; i++) y->first += x[i]; }""", encoding="utf-8")
        library = compile_library(self.folder, "own.so", source)
        ratios = self.ratios(f"{library}:own", "--sizes=512", "struct to {const float *at; "
                             "float first;}; void (const float x[n], out struct to y[1], long n)")
        self.assertIsNone(ratios["input_zero"].get("absent"))

    def test_foreign_worker(self):
        """What cannot be known of another program has its reason."""
        (result,) = self.explained("gemm/maxplus-f32/lib/good@8",
                                   f"--plugin={SOURCE / 'tests/cli/baseline-fake'},how=well")
        self.assertIn("foreign", result["explanation"]["not_traced"])
        ratios = {r["name"]: r for r in result["explanation"]["experiments"]}
        self.assertIn("another program", ratios["flush_denormals"]["absent"])
        self.assertIsNotNone(ratios["input_zero"]["ratio"])

    def test_kernels_that_rely_on_their_shape(self):
        """A smaller shape has the same power of two in it; one that fails costs its fact alone."""
        module = f"--plugin={MODULES / 'no_tails.so'}"
        for row, why in (("steps", None), ("large", r"at 2816: .*died of signal 6")):
            (result,) = self.explained(f"twice/f32/scalar/{row}@11296", module)
            ratios = {r["name"]: r for r in result["explanation"]["experiments"]}
            small = ratios["small_shape"]
            if why:
                self.assertRegex(small["absent"], why)
            else:
                self.assertIsNone(small.get("absent"))
            self.assertIsNone(ratios["control"].get("absent"))

    def test_without_counters(self):
        (result,) = self.explained(CASE, "--counters=none")
        self.assertTrue(result["findings"])

    def test_statuses(self):
        wrong = MODULES / "wrong_result.so"
        done = self.run_tool("explain", "twice/f32/scalar/bad@64", f"--plugin={wrong}",
                             status=4)
        self.assertIn("wrong: 1 of 64 checked are wrong", done.stdout)
        crash = MODULES / "crash_run.so"
        done = self.run_tool("explain", "twice/f32/scalar/bad@64", f"--plugin={crash}",
                             status=4)
        self.assertIn("died of signal", done.stdout)

    def test_errors(self):
        for words, text in (
                ([], "explain needs a case or an op: simdbench explain gemm --sizes=64"),
                (["rellu"], "no such op; did you mean relu?"),
                (["relu/f32/scalar"], "no id of a case"),
                (["relu/f32/scalar/max@64;speed=9"], "no id of a case"),
                (["relu/f32/scalar/nope@64"], "no such variant"),
                (["relu/f32/scalar/max@x"], "'x' is no shape"),
                (["nolib:relu/f32/scalar/max@64"], "there is no module 'nolib'"),
                ([CASE, "--accuracy"], "--accuracy is no option of explain"),
                ([CASE, "--counters=cores"], "did you mean core?"),
                ([CASE, "--json=/nowhere/run.json"], "/nowhere/run.json")):
            with self.subTest(words=words):
                done = self.run_tool("explain", *words, status=2)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_nothing_to_measure(self):
        missing = {"avx512", "avx2"} - set(self.run_json(*SMALL)["host"]["isas"])
        if not missing:
            self.skipTest("this CPU has every instruction set")
        done = self.run_tool("explain", f"relu/f32/{missing.pop()}/max@64", status=5)
        self.assertIn("skipped", done.stdout)

    def test_interrupted(self):
        process = subprocess.Popen(
            [BINARY, "explain", "gemm", "--isa=scalar", "--sizes=8..128", "--quiet"],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment(), start_new_session=True)
        self.wait_for_workers(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
