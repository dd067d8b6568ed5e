# SPDX-License-Identifier: Apache-2.0
"""`simdbench call` of a file of functions."""
import json
import re
import subprocess

from cli_call import CallCase, MIX, SOURCE
from cli_tool import SHORT, compile_library, environment, kernels, sanitized


class CallFile(CallCase):
    def declare(self, **more):
        path = self.folder / "mix.json"
        op = {"name": "mix", "prototype": MIX, "library": str(self.built),
              "kernels": {"scalar": "mix_c", "avx2": "mix_avx2"},
              "reference": "mix_c", "sizes": "64,100", "tails": "1..9", **more}
        op = {key: value for key, value in op.items() if value is not None}
        path.write_text(json.dumps({"functions": 1, "ops": [op]}), encoding="utf-8")
        return path

    def test_plugin(self):
        path = self.declare()
        document = self.run_json("mix", f"--plugin={path}", "--quiet", *SHORT)
        self.assertEqual({row["id"] for row in kernels(document)},
                         {f"mix:mix/f32/{isa}@{n}" for n in (64, 100)
                          for isa in ("scalar/mix_c", "avx2/mix_avx2")})
        again = self.run_json("call", path, "--quiet", *SHORT)
        self.assertEqual({row["id"] for row in kernels(again)},
                         {row["id"] for row in kernels(document)})
        case = "mix/f32/avx2/mix_avx2@64"
        for words in (["call", path, "--reset"], ["audit", path, "--tolerance=4ulp"],
                      ["explain", case, f"--plugin={path}", "--reference=mix_c"],
                      ["ab", self.built, self.built, f"--functions={path}", "--work=n"]):
            done = self.run_tool(*words, status=2)
            self.assertIn('has keys, such as "reset": true', done.stderr)
        project = self.folder / "project.json"
        project.write_text('{"global": {"roof": "none"}}')
        self.run_tool("audit", "relu", "--dry-run",
                      env=environment(SIMDBENCH_PROJECT=str(project)))

    def test_long_names_of_dimensions(self):
        names = [f"d{number:062}" for number in range(9)]
        size = ", ".join(f"size_t {name}" for name in names)
        path = self.declare(prototype=f"void (inout float x[{names[0]}], {size})")
        self.assertIn(f"a size is {' x '.join(names)}, as in 64{'x64' * 8}, or one number for all",
                      self.run_tool("list", "ops", f"--plugin={path}").stdout)

    def test_reference_elsewhere(self):
        """Beside the file."""
        self.folder.joinpath("libother.so").write_bytes(self.built.read_bytes())
        path = self.declare(reference="./libother.so:mix_wrong", kernels={"scalar": "mix_c"},
                            sizes="101", tails="1..2")
        row, = kernels(self.run_json("call", path, "--quiet", *SHORT, status=4))
        self.assertEqual(row["status"], "wrong", row)

    def test_builds_of_several_libraries(self):
        """Two runs are of equal builds if no library changed, nor one that it loads."""
        def build(name, value, *more):
            return compile_library(self.folder, f"lib{name}.so", "-x", "c", "-", "-x", "none",
                                   *more, input=f"int {name}(void) {{ return {value}; }}")
        inner = build("inner", 0)
        build("outer", 0, SOURCE, inner, "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", inner)
        path, runs = self.folder / "several.json", []
        path.write_text(json.dumps({"functions": 1, "ops": [
            {"name": name, "prototype": MIX, "library": str(library), "sizes": "64",
             "kernels": {"scalar": "mix_c"}}
            for name, library in (("first", self.built), ("second", "./libouter.so"))]}))
        for value in 0, 0, 1:
            build("inner", value)
            runs.append(self.folder / f"run{len(runs)}.json")
            self.run_tool("call", path, "--quiet", f"--json={runs[-1]}", *SHORT,
                          env=environment(SIMDBENCH_TEST_CLOCK="1"))
        tool = self.load(runs[0])["tool"]
        names = [text.split(" ")[0].rsplit("/", 1)[1] for text in tool["libraries"]]
        self.assertEqual(names[-3:], [self.built.name, "libouter.so", "libinner.so"])
        self.assertTrue(any(name.startswith("libc.") for name in names), names)
        for head, equal in (runs[1], True), (runs[2], False):
            gate = self.run_json("compare", runs[0], head)["gate"]
            self.assertEqual(gate["equal"], equal, gate)
            self.assertEqual("run 2 alone loads: " in self.run_tool("compare", runs[0], head).stdout,
                             not equal)

    def test_prints_of_code(self):
        """Runs know code and data that are the same, at another place and in another build."""
        def prints(name, *options, n=64, more="0"):
            source = """
                #ifdef BEFORE
                int before(int x) { return x * x + BEFORE; }
                #endif
                #ifndef TABLE
                #define TABLE 3
                #endif
                static const int table[4] = {1, 2, TABLE, 4};
                __attribute__((noinline)) static int inner(int x) { return table[x & 3] + ADDED; }
                extern int atoi(const char *);
                int sum(const int s[], int n)
                {
                    int all = 0;
                    for (int i = 0; i < n; i++)
                        all += s[i] & 32 ? inner(s[i]) : MORE;
                    return all;
                }"""
            library = compile_library(self.folder, f"{name}.so", f"-DMORE={more}", *options, "-x", "c", "-",
                                      input=source)
            document = self.run_json("call", f"{library}:sum", "int (const int s[n], int n)",
                                     f"--sizes={n}", "--quiet", *SHORT)
            return kernels(document)[0]["code_print"]
        for n in 64, 65536:
            first = prints("first", "-DADDED=1", n=n)
            self.assertTrue(first)
            self.assertEqual(prints("moved", "-DADDED=1", "-DBEFORE=7", "-g", n=n), first)
            self.assertNotEqual(prints("other", "-DADDED=2", n=n), first)
            self.assertNotEqual(prints("data", "-DADDED=1", "-DTABLE=5", n=n), first)
            # A long call that goes by data is known by what its code names alone. Sanitizers have
            # an atoi of their own in the program, which is no part of libc.
            self.assertTrue(sanitized() or prints("calls", "-DADDED=1", n=n, more='atoi("3")'))

    def test_two_modules(self):
        """Neither shows a pointer to memory of its own."""
        paths = []
        for name in "one", "two":
            path = self.declare(kernels={"lib": "point_elsewhere"}, reference="point_elsewhere",
                                tails=None, prototype="const void *(const uint8_t x[n], size_t n)")
            paths.append(path.rename(self.folder / f"{name}.json"))
        rows = kernels(self.run_json("mix", *(f"--plugin={path}" for path in paths), "--sizes=64",
                                     "--quiet", *SHORT))
        self.assertEqual([row["status"] for row in rows], ["unchecked"] * 2, rows)

    def test_tails_say_nothing_of_other_sizes(self):
        """The place that is returned is compared, but not that of few elements."""
        path = self.declare(kernels={"lib": "point_middle"}, reference="point_middle",
                            prototype="const void *(const uint8_t x[n], size_t n)", tails="1..7")
        row, = kernels(self.run_json("call", path, "--sizes=64", "--quiet", *SHORT))
        self.assertIn(row["status"], ("ok", "suspect", "short"), row)

    def test_audit_family(self):
        """From a library alone: all that is called as the family is, and no other."""
        for name in "mix", "mix_c":
            text = self.run_tool("audit", f"{self.built}:{name}", MIX, "--sizes=64",
                                 "--reference=mix_c", "--dry-run").stdout
            self.assertEqual(set(re.findall(r"libmix:(mix/\S+)@64", text)),
                             {"mix/f32/scalar/mix_c", "mix/f32/avx2/mix_avx2"}, text)
        text = self.run_tool("audit", f"{self.built}:smooth,smooth_half", "void (u8 *row = x + w, "
                             "ptrdiff_t w = 64, int n = 40) for inout u8 x[3 * w]",
                             "--dry-run").stdout
        self.assertIn("@1", text)
        self.assertNotIn("@64", text)
        for name, kernel in ("fade", True), ("drop", False):
            done = self.run_tool("audit", f"{self.built}:{name}", MIX, "--sizes=64", "--dry-run")
            self.assertEqual(f"{name} calls no other function" in done.stderr, kernel, done.stderr)
            done = self.run_tool("audit", f"{self.built}:{name}", MIX, "--sizes=64", "--dry-run",
                                 f"--dispatcher={name}")
            self.assertNotIn("calls no other", done.stderr)
        document = self.run_json("audit", f"{self.built}:fade", MIX, "--sizes=64", "--quiet", *SHORT)
        self.assertEqual(document["settings"]["dispatcher"], "none")
        for entry in document["audit"]:
            self.assertIsNone(entry["dispatcher"])
        self.assertNotIn("no kernel is called", " ".join(document["answer"]))
        done = self.run_tool("audit", f"{self.built}:mix_rounds", MIX, "--sizes=64", status=2)
        self.assertIn("write those to choose from", done.stderr)
        done = self.run_tool("audit", f"{self.built}:mix_d", MIX, status=2)
        self.assertIn("has no function mix_d", done.stderr)

    def test_audit(self):
        """Which rows run, and what stands in the file; test_audit has the verdicts."""
        functions = {"scalar": "mix_c", "avx2": "mix_avx2", "lib": "mix_choose()"}
        path = self.declare(kernels=functions)
        document = self.run_json("audit", path, "--quiet", "--sizes=64,65", *SHORT)
        self.assertEqual(document["settings"]["dispatcher"], "")
        self.assertEqual({row["variant"] for row in kernels(document)},
                         {"mix_c", "mix_avx2", "mix_choose"})
        for entry in document["audit"]:
            self.assertEqual(set(entry), {"dispatcher", "fastest", "like", "from", "to", "sizes",
                                          "times", "worse"})
        strict = ("audit", path, "--quiet", "--sizes=64,65", "--strict", *SHORT)
        slow = environment(SIMDBENCH_TEST_CLOCK="1,mix_avx2=0.5")
        if "avx2" in document["host"]["isas"]:
            bad, = self.run_json(*strict, status=1, env=slow)["audit"]
            self.assertTrue(bad["worse"] and bad["sizes"] == 2, bad)
        self.run_tool(*strict, env=environment(SIMDBENCH_TEST_CLOCK="1"))
        self.assertIn("LIB:mix", self.run_tool("audit", "libz.so.1", status=2).stderr)
        document = self.run_json("audit", "relu", "--sizes=64", "--dispatcher=auto_", "--quiet",
                                 *SHORT)
        self.assertEqual(document["settings"]["dispatcher"], "auto_")
        text = self.run_tool("audit", path, "--dry-run").stdout
        self.assertIn("mix:mix/f32/lib/mix_choose@257", text)
        self.assertNotIn("@257", self.run_tool("audit", path, "--dry-run", "--sizes=64").stdout)

    def test_ab_by_prototype(self):
        """The declaration may stand on the command line, and be kept."""
        kept = self.folder / "kept.json"
        words = ("ab", f"{self.built}:mix_c", self.built, MIX, "--sizes=64", "--quiet",
                 "--processes=8", "--threshold=90%")
        document = self.run_json(*words, f"--save={kept}")
        self.assertEqual(document["gate"]["functions"], str(kept))
        self.assertEqual([row["id"] for row in kernels(document)], ["mix/f32/scalar/mix_c@64"])
        self.assertEqual(json.loads(kept.read_text(encoding="utf-8"))["ops"][0]["prototype"], MIX)
        again = self.run_json(*words[:2], f"{self.built}:mix_c", *words[3:])
        self.assertEqual(again["gate"]["functions"], "")
        self.assertIn("which function", self.run_tool("ab", self.built, self.built, MIX,
                                                      status=2).stderr)

    def test_explain_two_libraries(self):
        path = self.declare()
        other = self.folder / "other.so"
        other.write_bytes(self.built.read_bytes())
        document = self.run_json("explain", self.built, other, "mix/f32/scalar/mix_c@64",
                                 f"--functions={path}", "--quiet")
        self.assertEqual([document["account"]["a"], document["account"]["b"]],
                         [f"{self.built.stem}:mix/f32/scalar/mix_c@64",
                          "other:mix/f32/scalar/mix_c@64"])
        error = self.run_tool("explain", self.built, other, f"--functions={path}", status=2).stderr
        self.assertIn("two builds have one case", error)

    def test_explain_two_libraries_by_prototype(self):
        """Both have one case, of one function."""
        other = self.folder / "other.so"
        other.write_bytes(self.built.read_bytes())
        words = ("explain", f"{self.built}:mix_c", other, MIX, "--tolerance=1ulp")
        account = self.run_json(*words, "--sizes=64", "--quiet")["account"]
        self.assertEqual([account["a"], account["b"]],
                         [f"{self.built.stem}:mix/f32/scalar/mix_c@64",
                          "other:mix/f32/scalar/mix_c@64"])
        for more, text in (("--sizes=64,65", "these are 2"), ("--sizes=64", "two builds of one")):
            head = f"{other}:mix_avx2" if text.startswith("two") else other
            error = self.run_tool(*words[:2], head, *words[3:], more, status=2).stderr
            self.assertIn(text, error)

    def test_explain_builds_that_are_linked(self):
        """Objects and archives are builds as for ab; their names are those of the files."""
        folder = self.folder / "my.solver"
        folder.mkdir()
        subprocess.run(["cc", "-O1", "-fPIC", "-c", "-o", folder / "head.o",
                        SOURCE], check=True)
        subprocess.run(["ar", "rc", folder / "base.a", folder / "head.o"], check=True)
        words = ("explain", f"{folder}/base.a:mix_c", folder / "head.o", MIX, "--sizes=64")
        text = self.run_tool(*words, "--dry-run", "--quiet").stdout
        self.assertIn("base:mix/f32/scalar/mix_c@64\nhead:mix/f32/scalar/mix_c@64\n", text)
        error = self.run_tool(*words, f"--plugin={self.built}", status=2).stderr
        self.assertIn("are two builds, and --plugin", error)
        error = self.run_tool(*words, f"--functions={self.declare()}", status=2).stderr
        self.assertIn("two builds have one case", error)

    def test_explain_by_prototype(self):
        """Without a reference its results are unchecked, and it is explained all the same: also
        as being scalar, whatever its name says."""
        document = self.run_json("explain", f"{self.built}:mix_c", MIX, "--sizes=64", "--quiet")
        (result,) = kernels(document)
        self.assertEqual(result["status"], "unchecked")
        self.assertTrue(result["explanation"]["experiments"])
        self.assertNotIn("isa_bits", json.dumps(result["explanation"]["excluded"]))

    def test_explain_with_inputs(self):
        """Experiments set other values, but not in place of what has a form."""
        for kind, zeros in ("runs:1..9", True), ("text", False):
            (self.folder / "zeros").unlink(missing_ok=True)
            document = self.run_json("explain", f"{self.built}:mix_bits",
                                     "unsigned (const uint8_t x[n], size_t n)", "--sizes=64",
                                     f"--input=x={kind}", "--quiet", cwd=self.folder)
            ratios = {r["name"]: r
                      for r in kernels(document)[0]["explanation"]["experiments"]}
            self.assertEqual((self.folder / "zeros").exists(), zeros, kind)
            self.assertEqual("go together" in (ratios["input_zero"]["absent"] or ""), not zeros)

    def test_repeated_inputs(self):
        """Parts of a text are a text, but those of what is sorted are not; few stay."""
        (self.folder / "bytes").write_text("a\xe4" * 99, encoding="utf-8")
        inputs = (("text", 2048, None), ("text", 512, "1024 elements"),
                  ("sorted", 2048, "go together"), ("runs", 2048, "go together"),
                  (f"file:{self.folder / 'bytes'}", 2048, "go together"))
        # One of each answer reaches the code that sanitizers look at.
        for kind, n, absent in inputs[:3] if sanitized() else inputs:
            document = self.run_json("explain", f"{self.built}:mix_bits",
                                     "unsigned (const uint8_t x[n], size_t n)", f"--sizes={n}",
                                     f"--input=x={kind}", "--quiet", cwd=self.folder)
            ratios = {r["name"]: r
                      for r in kernels(document)[0]["explanation"]["experiments"]}
            self.assertIn(absent or "", ratios["input_repeated"]["absent"] or "", kind)
            self.assertEqual(ratios["input_repeated"]["ratio"] is None, bool(absent), kind)

    def test_inputs_that_end_a_search(self):
        """Work that other values take away is no gain."""
        document = self.run_json("explain", f"{self.built}:mix_first",
                                 "size_t (const uint8_t x[n], size_t n)", "--sizes=16Ki",
                                 "--input=x=uniform:1..9", "--quiet")
        (result,) = kernels(document)
        ratios = {r["name"]: r for r in result["explanation"]["experiments"]}
        self.assertGreater(ratios["input_zero"]["ratio"], 0.3)

    def test_tails(self):
        document = self.run_json("call", self.declare(), "--shapes=tails", "--quiet", *SHORT)
        self.assertEqual({row["shape"] for row in kernels(document)},
                         {str(n) for n in range(1, 10)})

    def test_tails_are_checked(self):
        path = self.declare(kernels={"lib": ["mix_rounds", "mix_choose()"]}, sizes="64")
        rows = {row["variant"]: row for row in kernels(
            self.run_json("call", path, "--quiet", *SHORT, status=4))}
        self.assertEqual(rows["mix_rounds"]["status"], "wrong")
        self.assertRegex(rows["mix_rounds"]["reason"], "^at size 1: 1 of 1 checked are wrong")
        self.assertIn(rows["mix_choose"]["status"], ("ok", "suspect"), rows)

    def test_explained_without_work(self):
        """Nobody said how many operations a call has: experiments have ratios all the same."""
        document = self.run_json("explain", "mix:mix/f32/scalar/mix_c@100", "--quiet",
                                 f"--plugin={self.declare()}")
        (result,) = [r for r in document["results"] if r["explanation"]]
        ratios = {r["name"]: r for r in result["explanation"]["experiments"]}
        for name in "control", "input_zero", "layout":
            self.assertGreater(ratios[name]["ratio"], 0, ratios[name])

    def test_saved(self):
        self.run_tool("call", f"{self.built}:mix_c", MIX, "--save=kept.json", "--sizes=64",
                      "--reference=mix_c", "--quiet", *SHORT, cwd=self.folder)
        plan = self.run_tool("call", "kept.json", "--dry-run", cwd=self.folder).stdout
        self.assertIn("group 1: mix f32 64,", plan)
        self.assertNotIn("group 2", plan)

    def test_saved_beside(self):
        """The file and a library in its folder may go elsewhere together."""
        here, there = self.folder / "here", self.folder / "there"
        here.mkdir()
        (here / "libmix.so").write_bytes(self.built.read_bytes())
        self.run_tool("call", "here/libmix.so:mix_c", MIX, "--save=here/kept.json", "--dry-run",
                      cwd=self.folder)
        here.rename(there)
        self.run_tool("call", "there/kept.json", "--dry-run", cwd=self.folder)
        document = json.loads((there / "kept.json").read_text(encoding="utf-8"))
        self.assertEqual(document["ops"][0]["library"], "./libmix.so")

    def test_prove(self):
        document = self.run_json("call", self.declare(), "--prove", "--quiet", *SHORT,
                                 "--sizes=1000")
        for row in kernels(document, isa="scalar"):
            self.assertGreater(row["proof"]["instructions"], 100, row)

    def test_ab(self):
        path = self.declare()
        other = self.folder / "libmix.so"
        other.write_bytes(self.built.read_bytes())
        document = self.run_json("ab", self.built, other, f"--functions={path}",
                                 "--isa=scalar", "--sizes=64", "--processes=8", "--rounds=6",
                                 "--quiet")
        row, = [r for r in document["results"] if r.get("comparison")]
        self.assertEqual(row["variant"], "mix_c", row)

    def test_ab_of_a_function_that_is_new(self):
        """Or gone. What both builds lack is a mistake in the file."""
        ops = [{"name": name, "prototype": "u32 (const u8 s[n], size_t n)",
                "kernels": {"scalar": name}, "sizes": "8"} for name in ("old", "fresh")]
        (self.folder / "two.json").write_text(json.dumps({"functions": 1, "ops": ops}))
        body = "(const unsigned char *s, unsigned long n) { return n ? *s : 0; }"
        for name, functions in (("one", ["old"]), ("two", ["old", "fresh"]), ("none", ["x"]),
                                ("three", ["fresh"])):
            compile_library(self.folder, f"{name}.so", "-x", "c", "-",
                            input="".join(f"unsigned {f}{body}\n" for f in functions))
        for base, head, verdict in ("one", "two", "NEW"), ("two", "one", "GONE"):
            document = self.run_json(
                "ab", f"./{base}.so", f"./{head}.so", "--functions=two.json", "--processes=8",
                "--rounds=6", "--quiet", cwd=self.folder,
                env=environment(SIMDBENCH_TEST_CLOCK="1"))
            self.assertEqual({row["variant"]: row["comparison"]["verdict"]
                              for row in kernels(document)}, {"old": "SAME", "fresh": verdict})
        document = self.run_json("ab", "./one.so", "./three.so", "--functions=two.json",
                                 "--quiet", cwd=self.folder, status=5)
        self.assertEqual({row["variant"]: row["comparison"]["verdict"]
                          for row in kernels(document)}, {"old": "GONE", "fresh": "NEW"})
        for base, head in ("one", "one"), ("none", "two"), ("one", "none"):
            done = self.run_tool("ab", f"./{base}.so", f"./{head}.so", "--functions=two.json",
                                 cwd=self.folder, status=2)
            self.assertRegex(done.stderr, "has no function (old|fresh)")
        done = self.run_tool("ab", "./two.so:old", "./two.so:fresh", ops[0]["prototype"],
                             cwd=self.folder, status=2)
        self.assertIn("two builds of one function", done.stderr)
        done = self.run_tool("ab", "./one.so", "./two.so", "--functions=Makefile",
                             cwd=self.folder, status=2)
        self.assertIn("--functions=Makefile: no file of functions", done.stderr)

    def test_ab_of_what_is_linked(self):
        """Archives and objects are builds of declared functions, and leave no files behind."""
        for name in "base", "head":
            subprocess.run(["cc", "-O1", "-fPIC", "-c", "-o", f"{name}.o", SOURCE], check=True,
                           cwd=self.folder)
            subprocess.run(["ar", "rc", f"{name}.a", f"{name}.o"], check=True, cwd=self.folder)
        made = self.folder / "made"
        made.mkdir()
        place = {"cwd": self.folder, "env": environment(SIMDBENCH_TEST_CLOCK="1", TMPDIR=str(made))}
        for base, head, *more in (("base.a", "head.a", f"--functions={self.declare()}"),
                                  ("base.a:mix_c", "base.a", MIX), ("base.o:mix_c", "head.o", MIX)):
            document = self.run_json("ab", f"./{base}", f"./{head}", *more, "--isa=scalar",
                                     "--sizes=64", "--processes=8", "--rounds=6", "--quiet", **place)
            row, = kernels(document)
            self.assertEqual(row["comparison"]["verdict"], "SAME", row)
            self.assertEqual([arm["version"] for arm in document["gate"]["arms"]],
                             [base[:6], head, base[:6]])
        done = self.run_tool("ab", "./base.a", "./head.a", status=2, **place)
        self.assertIn("name a function of it", done.stderr)
        self.assertEqual(list(made.iterdir()), [])

    def test_ab_of_a_name_of_cpp(self):
        """It has colons, in BASE and in HEAD."""
        (self.folder / "cpp.cc").write_text(
            "namespace first { unsigned sum(const unsigned char *s, unsigned long n)\n"
            "{ return n ? *s : 0; } int twice(int) { return 1; } int twice(long) { return 2; } }\n")
        for name in "old", "new":
            subprocess.run(["c++", "-O1", "-shared", "-fPIC", "-o", f"{name}.so", "cpp.cc"],
                           check=True, cwd=self.folder)
        for name, typed in ("sum", "first::sum"), ("twice", "_ZN5first5twiceE[il]"):
            self.assertRegex(self.run_tool("call", f"./old.so:{name}", cwd=self.folder).stdout,
                             f"Next: `simdbench call './old.so:{typed}' ")
        for head, status in ("new.so", 0), ("new.so:first::sum", 0), ("new.so:sum", 2):
            self.run_tool("ab", "./old.so:first::sum", f"./{head}",
                          "u32 (const u8 s[n], size_t n)", "--sizes=8", "--processes=8",
                          "--rounds=6", "--quiet", cwd=self.folder, status=status,
                          env=environment(SIMDBENCH_TEST_CLOCK="1"))

    def test_ab_of_several_inputs(self):
        """A call takes the next set of arrays, in all arms."""
        for sets, more in (3, []), (5, ["--reset"]):
            document = self.run_json(
                "ab", f"{self.built}:mix_c", self.built, MIX, "--sizes=64", *more,
                f"--inputs={sets}", "--processes=8", "--rounds=6", "--quiet",
                env=environment(SIMDBENCH_TEST_CLOCK="1"))
            row, = kernels(document)
            self.assertEqual((row["status"], row["comparison"]["verdict"]), ("ok", "SAME"))
            self.assertTrue(row["id"].endswith(f";inputs={sets}"), row["id"])

    def test_ab_of_many_ops(self):
        """Each of the three builds has all ops of the file."""
        ops = [{"name": f"mix{i}", "prototype": MIX, "kernels": {"scalar": "mix_c"}}
               for i in range(64)]
        path = self.folder / "many.json"
        path.write_text(json.dumps({"functions": 1, "ops": ops}))
        document = self.run_json("ab", self.built, self.built, f"--functions={path}", "mix63",
                                 "--sizes=64", "--processes=8", "--rounds=6", "--quiet",
                                 env=environment(SIMDBENCH_TEST_CLOCK="1"))
        self.assertEqual([r["status"] for r in kernels(document)], ["ok"])
