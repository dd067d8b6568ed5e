# SPDX-License-Identifier: Apache-2.0
"""Plug-ins, good and bad, the installed tree, and the plug-in of the documentation."""
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from cli_tool import (BINARY, MODULES, PATIENCE, SHORT, SMALL, SOURCE, Case, compile_library,
                      environment, kernels, measured)


class Plugins(Case):
    def module(self, name):
        path = MODULES / f"{name}.so"
        self.assertTrue(path.exists(), path)
        return f"--plugin={path}"

    def broken(self, name, status, *more):
        """Its row `bad` ends with `status` and a reason; its row `good` does not notice."""
        document = self.run_json("twice", self.module(name), "--baseline=none", *SHORT, *more,
                                 status=0 if status == "ok" else 4)
        results = {r["variant"]: r for r in kernels(document)}
        self.assertEqual(results["good"]["status"], "ok", results["good"])
        self.assertEqual(results["bad"]["status"], status, results["bad"])
        return results["bad"]

    def test_rows_of_studies(self):
        """By name alone, and what is slow on purpose only if it is asked for."""
        def variants(*arguments):
            document = self.run_json(*arguments, *SHORT)
            return {r["variant"] for r in kernels(document) if r["id"].startswith("study:")}

        self.assertEqual(variants("relu", "--baseline=none", "--sizes=1003"), set())
        study = ["--plugin=study", "--baseline=none"]
        self.assertEqual(variants("relu", *study, "--sizes=1003"),
                         {"autovec", "tiled", "unroll64"})
        self.assertIn("alloc_twice", variants("relu", *study, "--sizes=1003", "--pathologies"))
        self.assertEqual(variants("gemm", *study, "--sizes=17", "--variants=ladder_bad*"),
                         {"ladder_bad", "ladder_bad_O0", "ladder_bad_but_alloc",
                          "ladder_bad_but_copies", "ladder_bad_but_tiles"})
        self.assertEqual(variants("reduce", *study, "--semiring=mean", "--sizes=columns5x7"),
                         {"lanes"})

    def test_newer_abi(self):
        done = self.run_tool("gemm", self.module("newer_abi"), "--sizes=8", status=2)
        self.assertIn("newer_abi", done.stderr)
        self.assertRegex(done.stderr, r"ABI 3\b.*ABI 2\b")
        self.assertEqual(done.stdout, "")

    def test_no_entry(self):
        done = self.run_tool("gemm", self.module("no_entry"), "--sizes=8", status=2)
        self.assertRegex(done.stderr, "no_entry.*simdbench_module")

    def test_crash_on_load(self):
        done = self.run_tool("gemm", self.module("crash_load"), "--sizes=8", status=2)
        self.assertIn("crash_load", done.stderr)

    def test_write_outside_the_output(self):
        self.assertTrue(self.broken("writes_outside", "wrong")["reason"])

    def test_write_to_an_input(self):
        self.assertTrue(self.broken("writes_input", "wrong")["reason"])

    def test_wrong_result(self):
        self.assertIn("0.5", self.broken("wrong_result", "wrong")["reason"])

    def test_wrong_after_the_first_calls(self):
        """Whatever a kernel can tell from its operands, and in one round or more."""
        for name in ("lazy_later", "keeps_results"):
            for more in ([], ["--check=full", "--cache=cold", "--rounds=100"], ["--in-process"]):
                with self.subTest(name=name, more=more):
                    bad = self.broken(name, "wrong", *more)
                    self.assertRegex(bad["reason"], r"^right at first, wrong after \d+ batch")
                    self.assertEqual(bad["samples_ns"], [])

    def test_changed_arithmetic_is_flagged(self):
        self.assertTrue(self.broken("changes_mxcsr", "ok")["notes"])

    def test_bad_tables(self):
        for how, why in (("null", "no table"), ("size", "size 4"),
                         ("kernel-op", "module tables: kernel good computes op 'thrice', which"),
                         ("kernel-layout-unknown", "layout 'column', which op 'twice' does not"),
                         ("kernel-isa", "'avx3'"), ("op-twice", "there twice")):
            with self.subTest(how=how):
                done = self.run_tool("twice", self.module("tables"), *SHORT, status=2,
                                     env=environment(TABLES=how))
                self.assertIn("tables", done.stderr)
                self.assertIn(why, done.stderr)

    def test_own_op(self):
        document = self.run_json("own_softmax", self.module("softmax"), "--sizes=4x100,1x7",
                                 "--baseline=none", *SHORT)
        results = kernels(document, op="own_softmax", variant="three_passes")
        self.assertEqual([r["shape"] for r in results], ["4x100", "1x7"])
        self.assertLessEqual({r["status"] for r in results}, {"ok"})

    def test_beside_own_kernels(self):
        document = self.run_json(*SMALL[:1], "--isa=all", *SMALL[2:], self.module("my_gemm"))
        theirs = kernels(document, module="my_gemm")
        self.assertEqual(len(theirs), 1)
        self.assertTrue(theirs[0]["id"].startswith("my_gemm:gemm/maxplus-f32/avx2/rows@"))
        self.assertIn(theirs[0]["status"], ("ok", "skipped"))
        self.assertTrue([r for r in measured(document) if not r["module"]])

    @staticmethod
    def opponents(result):
        return {ratio["baseline"].partition("@")[0] for ratio in result["ratios"]}

    def test_ratios_to_own_kernels(self):
        """Paired, within the plug-in's instruction set if there are own rows for it."""
        command = ["relu", "--plugin=study", "--sizes=1003", "--baseline=none",
                   "--variants=max,autovec", *SHORT]
        document = self.run_json(*command, "--isa=scalar,sse2")
        theirs = {r["isa"]: r for r in kernels(document, module="study")}
        self.assertEqual(self.opponents(theirs["sse2"]), {"relu/f32/sse2/max"})
        self.assertTrue(all(ratio["ci"] for ratio in theirs["sse2"]["ratios"]))
        for result in kernels(document, module=None):
            self.assertEqual(result["ratios"], [])
        table = self.run_tool("report", self.folder / "run.json").stdout
        self.assertIn("vs simdbench", table)
        header = self.run_tool("report", self.folder / "run.json", "--format=csv").stdout
        self.assertIn(",speedup:simdbench,", header.splitlines()[0])

    def test_documented_languages(self):
        """The document's module is C and C++ as it stands there, and refuses a batch."""
        if platform.machine() != "x86_64":
            self.skipTest("the document's module is for x86-64")
        source = self.folder / "my_gemm.c"
        source.write_text(documented_module(), encoding="utf-8")
        languages = {"c11": ["gcc", "-std=c11", "-Wextra", "-pedantic"],
                     "c++17": ["g++", "-xc++", "-std=c++17"],
                     "c++20": ["g++", "-xc++", "-std=c++20", "-pedantic"]}
        for name, compiler in languages.items():
            with self.subTest(name):
                if not shutil.which(compiler[0]):
                    self.skipTest(f"{compiler[0]} is not installed")
                module = self.folder / f"{name}.so"
                subprocess.run([*compiler, "-Wall", "-Werror", "-O3", "-march=x86-64-v3",
                                "-shared", "-fPIC", f"-I{SOURCE / 'kernels'}", "-o", module,
                                source], check=True)
                document = self.run_json("gemm", f"--plugin={module}", "--isa=scalar,avx2",
                                         "--sizes=16,b4x16x16x16", "--baseline=none", *SHORT)
                one, batch = kernels(document, module="my_gemm")
                self.assertIn(one["status"], ("ok", "skipped"), one)
                self.assertEqual(batch["status"], "skipped", batch)
                self.assertRegex(batch["reason"], "no batch|this CPU")

    def test_name_for_ids(self):
        """as=NAME stands in ids in place of name and options, which JSON keeps."""
        document = self.run_json("relu", "--sizes=1003", "--isa=scalar", *SHORT,
                                 f"{self.module('shares')},as=mine", "--baseline=none")
        self.assertTrue(kernels(document, module="mine"))
        self.assertTrue(kernels(document, module="mine")[0]["id"].startswith("mine:relu/"))
        gemm = self.run_tool("gemm", "--sizes=8", "--isa=scalar", "--dry-run",
                             "--baseline=openblas,library=libopenblas.so.0,as=ob").stdout
        self.assertIn("  ob:gemm/plustimes-f32/lib/sgemm@8x8x8", gemm)
        text = self.run_tool("explain", "relu", f"{self.module('shares')},as=mine",
                             "--sizes=1003", "--isa=scalar", "--dry-run").stdout
        self.assertIn("mine:relu/", text)
        for name in ("a/b", ""):
            done = self.run_tool("relu", f"{self.module('shares')},as={name}", status=2)
            self.assertIn(f"as={name} is no name", done.stderr)
        done = self.run_tool("ab", MODULES / "pace.so", f"{MODULES / 'pace_again.so'},as=b",
                             status=2)
        self.assertIn("as=NAME is for --plugin", done.stderr)

    def test_help_of_an_op(self):
        """It is the module's, with where it comes from; without the plug-in there is a hint."""
        text = self.run_tool("own_softmax", self.module("softmax"), "--help").stdout
        self.assertIn(f"Usage: simdbench own_softmax --plugin={MODULES}/softmax.so", text)
        self.assertIn("brought by the plug-in", text)
        self.assertRegex(text, r"A\s+size\s+is\s+\S")
        for option in ([], [self.module("shares")]):
            text = self.run_tool("own_softmax", *option, "--help").stdout
            self.assertIn("no op of simdbench itself; a plug-in may bring it", text)
            self.assertIn("own_softmax --plugin=FILE.so --isa=all", text)
        done = self.run_tool("own_softmax", status=2)
        self.assertRegex(done.stderr, r"no such command or op.*--plugin=FILE\.so may bring")
        done = self.run_tool("own_softmax", "--plugin=./nowhere.so", "--help", status=2)
        self.assertIn("nowhere.so", done.stderr)

    def test_given_twice(self):
        twice = [self.module("shares"), self.module("shares")]
        done = self.run_tool("relu", *twice, "--dry-run", status=2)
        self.assertRegex(done.stderr, r"shares is given twice; .*simdbench ab .*as=NAME")
        done = self.run_tool("relu", twice[0], f"{twice[1]},as=other", "--sizes=1003",
                             "--isa=scalar", "--dry-run")
        self.assertRegex(done.stdout, r"(?s)  shares:relu/.*  other:relu/")

    def test_variants_of_baselines(self):
        """A variant that a baseline alone has chooses among its rows, not among others'."""
        def ids(*variants):
            text = self.run_tool("relu", "--sizes=1003", "--isa=sse2", "--dry-run",
                                 "--baseline=study", *variants).stdout
            return set(re.findall(r"  ((?:study:)?relu/.*)@", text))

        study = "study:relu/f32/sse2/"
        self.assertEqual(ids("--variants=max,autovec"),
                         {"relu/f32/sse2/max", f"{study}autovec"})
        self.assertLess({"relu/f32/sse2/max", "relu/f32/sse2/stream", f"{study}autovec"},
                        ids("--variants=autovec"))
        self.assertLess({"relu/f32/sse2/max", f"{study}autovec", f"{study}tiled"},
                        ids("--variants=max"))
        done = self.run_tool("relu", "--baseline=study", "--variants=autovek", status=2)
        self.assertIn("did you mean autovec", done.stderr)

    def test_library_by_file(self):
        """library=FILE is what a library's module loads, or says why not."""
        for name, option, advice in (("openblas", "coretype=NAME and ", "install"),
                                     ("blis", "arch=NAME and ", "install"),
                                     ("onednn", "isa=NAME and ", "install"),
                                     ("onednn3", "isa=NAME and ", "scripts/setup peers"),
                                     ("mkl", "", "scripts/setup peers")):
            with self.subTest(name):
                if not (BINARY.parent / f"kernels/modules/{name}.so").exists():
                    self.skipTest(f"module {name} is not built")
                command = ["relu", "--isa=scalar", "--dry-run"]
                done = self.run_tool(*command, f"--baseline={name},library=./nowhere.so",
                                     status=2)
                self.assertIn("./nowhere.so: cannot open", done.stderr)
                done = self.run_tool(*command, f"--baseline={name},library=libm.so.6",
                                     status=2)
                self.assertRegex(done.stderr, f"libm.so.6 has no .*{advice}")
                done = self.run_tool(*command, f"--baseline={name},core=1", status=2)
                self.assertIn(f"only {option}library=FILE", done.stderr)
        for folder in Path("/usr/lib").glob("*-linux-gnu"):
            for path in folder.glob("libopenblas.so.0"):
                done = self.run_tool("gemm", "--isa=scalar", "--sizes=8", "--dry-run",
                                     f"--baseline=openblas,library={path},as=mine")
                self.assertIn("  mine:gemm/", done.stdout)

    def test_who_named_the_core(self):
        """The advice names the environment's variable if that chose, not if an option did."""
        if not (BINARY.parent / "kernels/modules/openblas.so").exists():
            self.skipTest("there is no module openblas")
        for options, variable in (("", "Prescott"), (",coretype=Prescott", None)):
            with self.subTest(options):
                env = environment(**({"OPENBLAS_CORETYPE": variable} if variable else {}))
                done = self.run_tool("gemm", "--isa=scalar", "--sizes=8", *SHORT,
                                     f"--baseline=openblas{options}", env=env)
                if "narrower than this CPU" not in done.stdout:
                    self.skipTest("this CPU has no wider core")
                told = "(OPENBLAS_CORETYPE is set)" in done.stdout
                self.assertEqual(told, variable is not None, done.stdout)

    def test_prefixed_openblas(self):
        """A build whose names have SciPy's prefix is an OpenBLAS like others."""
        if not (BINARY.parent / "kernels/modules/openblas.so").exists():
            self.skipTest("there is no module openblas")
        text = ("void scipy_cblas_sgemm(void) {} void scipy_cblas_dgemm(void) {}"
                "void scipy_openblas_set_num_threads(int n) { (void)n; }"
                "char *scipy_openblas_get_config(void) { return \"OpenBLAS 9.8 X\"; }"
                "char *scipy_openblas_get_corename(void) { return \"Haswell\"; }")
        library = compile_library(self.folder, "libprefixed.so", "-xc", "-", input=text)
        done = self.run_tool("gemm", "--isa=scalar", "--sizes=8", "--dry-run",
                             f"--baseline=openblas,library={library},as=prefixed")
        self.assertIn("  prefixed:gemm/plustimes-f32/lib/sgemm@8x8x8", done.stdout)
        # Not each build has the additions to BLAS.
        for op, name in (("reduce", "ssum"), ("transpose", "somatcopy")):
            row = kernels(self.run_json(op, "--isa=scalar", "--sizes=8", *SHORT,
                                        f"--baseline=openblas,library={library},as=prefixed"),
                          module="prefixed")[0]
            self.assertEqual((row["variant"], row["status"]), (name, "skipped"))
            self.assertIn("this OpenBLAS has no such function", row["reason"])


class Fetched(Case):
    """The libraries that scripts/setup peers fetches: rows are right and called by name."""

    def rows(self, file, op, *arguments):
        """What its rows of that op are, all right; the module's name in ids is `new`."""
        if not (BINARY.parents[1] / "peers/lib" / file).exists():
            self.skipTest(f"scripts/setup peers has not fetched {file}")
        document = self.run_json(op, "--isa=scalar", *arguments, *SHORT)
        theirs = kernels(document, module="new")
        for result in theirs:
            self.assertEqual(result["status"], "ok", result)
            self.assertTrue(result["id"].startswith(f"new:{op}/"), result)
        return {(r["variant"], r["shape"]) for r in theirs}, theirs

    def test_onednn3(self):
        file, baseline = "libdnnl.so.3", "--baseline=onednn3,as=new"
        names, theirs = self.rows(file, "relu", "--sizes=1003", baseline)
        self.assertEqual({name for name, _ in names}, {"eltwise", "inplace"})
        self.assertTrue(theirs[0]["module_version"].startswith("oneDNN 3."), theirs[0])
        names, _ = self.rows(file, "tanh", "--sizes=1003", baseline)
        self.assertEqual(names, {("eltwise", "1003")})
        names, theirs = self.rows(file, "conv", "--sizes=n1c16h9w20k32r3s3p1q1", baseline,
                                  "--layout=nchw,nchw8c")
        # On AVX-512 oneDNN has no kernel for blocks of 8 at times.
        self.assertEqual(sorted(names - {("direct", "n1c16h9w20k32r3s3p1q1b8")}),
                         [("direct", "n1c16h9w20k32r3s3p1q1"),
                          ("reorder", "n1c16h9w20k32r3s3p1q1")])
        self.assertTrue(all(r["implementation"] for r in theirs))
        done = self.run_tool("relu", "--baseline=onednn,library=libdnnl.so.3", status=2)
        self.assertIn("--baseline=onednn3", done.stderr)

    def test_mkl(self):
        file, baseline = "libmkl_rt.so.3", "--baseline=mkl,as=new"
        names, theirs = self.rows(file, "gemm", "--type=f32,f64", "--sizes=5x7x3,b3x4x9x5",
                                  baseline)
        self.assertEqual(names, {(name, shape) for name in ("sgemm", "dgemm")
                                 for shape in ("5x7x3", "b3x4x9x5")})
        self.assertTrue(theirs[0]["module_version"].startswith("oneMKL 20"), theirs[0])
        names, theirs = self.rows(file, "tanh", "--type=f32,f64", "--sizes=1003", baseline)
        self.assertEqual((names, len(theirs)),
                         ({(name, "1003") for name in ("ha", "la")}, 4))

    def test_openblas(self):
        file = "libscipy_openblas.so"
        names, theirs = self.rows(file, "gemm", "--sizes=5x7x3",
                                  f"--baseline=openblas,library={file},as=new")
        self.assertEqual(names, {("sgemm", "5x7x3")})
        self.assertTrue(theirs[0]["module_version"].startswith("OpenBLAS 0.3."), theirs[0])


def documented_module():
    text = (SOURCE / "docs/plugin.md").read_text(encoding="utf-8")
    return re.search(r"```c\n(.*?)```", text, re.S).group(1)


class InstalledModules(Case):
    def setUp(self):
        super().setUp()
        meson = shutil.which("meson")
        if not meson:
            self.skipTest("meson is not installed")
        self.tree = self.folder / "tree"
        subprocess.run([meson, "install", "-C", BINARY.parent, "--no-rebuild", "--destdir",
                        self.tree], check=True, capture_output=True, env=environment())
        self.binary = next(self.tree.rglob("bin/simdbench"))

    def test_modules_are_found(self):
        names = [str(p) for p in self.tree.rglob("*")]
        for pattern in (r"include/simdbench\.h$", r"pkgconfig/simdbench\.pc$",
                        r"simdbench/modules/openblas\.so$"):
            self.assertTrue([n for n in names if re.search(pattern, n)], pattern)
        for name in ("baseline-numpy", "baseline-torch"):
            self.assertTrue(os.access(next(self.tree.rglob(name)), os.X_OK), name)
        listing = subprocess.run([self.binary, "list", "modules"], capture_output=True,
                                 text=True, env=environment()).stdout
        self.assertRegex(listing, f"numpy +{re.escape(str(self.tree))}.*/baseline-numpy")
        done = subprocess.run([self.binary, "gemm", "--isa=scalar", "--sizes=8",
                               "--baseline=openblas", "--dry-run"],
                              capture_output=True, text=True, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("openblas:gemm/", done.stdout)

    def test_documented_plugin(self):
        """Code and commands of docs/plugin.md work as they stand there."""
        text = (SOURCE / "docs/plugin.md").read_text(encoding="utf-8")
        name = re.search(r"`(\w+\.c)`", text).group(1)
        commands = re.search(r"```sh\n(.*?)```", text, re.S).group(1).strip()
        (self.folder / name).write_text(documented_module(), encoding="utf-8")
        config = next(self.tree.rglob("simdbench.pc")).parent
        path = self.folder / "run.json"
        done = subprocess.run(
            f"set -e\n{commands} {' '.join(SHORT)} --json={path}", shell=True,
            cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
            env=environment(PKG_CONFIG_PATH=str(config),
                            PKG_CONFIG_SYSROOT_DIR=str(self.tree),
                            PATH=f"{self.binary.parent}:{os.environ['PATH']}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        theirs = [r for r in kernels(self.load(path)) if r["module"] == Path(name).stem]
        self.assertTrue(theirs)
        self.assertLessEqual({r["status"] for r in theirs}, {"ok", "skipped"})
