# SPDX-License-Identifier: Apache-2.0
"""simdbench study: what it reads, measures, prints and returns."""
import copy

from cli_tool import *

# Row "bad" does four times what row "good" does.
STUDY = {
    "study": 1, "name": "mine", "title": "two loops",
    "work": {"op": "twice", "type": "f32", "isa": "scalar", "module": f"{MODULES}/pace.so",
             "shapes": ["20000", "40000"], "quick": ["20000"]},
    "arms": {"good": {"variant": "good"}, "bad": {"variant": "bad"}},
    "claims": [
        {"id": "slower", "by": "us", "text": "bad is slower", "kind": "C",
         "measure": "time_ratio", "of": ["bad", "good"], "expect": [1, None]},
        {"id": "half", "by": "us", "text": "three quarters", "kind": "S",
         "measure": "arithmetic", "formula": "3 / 4", "expect": [0.7, 0.8]},
        {"id": "gpu", "by": "us", "text": "a GPU is faster", "kind": "P",
         "measure": "time_ratio", "of": ["bad", "good"], "expect": [0, 0.1],
         "needs": ["never:no GPU is measured"]}],
    "account": {"total": ["bad", "good"], "parts": [["bad", "good"]]},
}
CLAIM = {"id": "x", "by": "us", "text": "x", "kind": "P", "expect": [None, None]}


class StudyCase(Case):
    def write(self, **changes):
        """STUDY with these fields; None: without."""
        path = self.folder / "mine.json"
        document = {k: v for k, v in {**STUDY, **changes}.items() if v is not None}
        path.write_text(json.dumps(document), encoding="utf-8")
        self.run_tool("trust", path)  # its modules are elsewhere
        return path

    def study(self, *arguments, status=0, **changes):
        """{id: claim}, and the study."""
        document = self.run_json("study", self.write(**changes), "--quick", "--quiet",
                                 *arguments, status=status)
        study, = document["studies"]
        return {claim["id"]: claim for claim in study["claims"]}, study, document

    def claim(self, *arguments, **fields):
        """One claim of these fields, as it was judged."""
        return self.study(*arguments, claims=[{**CLAIM, **fields}], account=None)[0]["x"]

    def verdict(self, *arguments, **fields):
        return self.claim(*arguments, **fields)["verdict"]


class Study(StudyCase):
    def test_verdicts(self):
        claims, study, document = self.study()
        self.assertEqual({k: c["verdict"] for k, c in claims.items()},
                         {"slower": "CONFIRMED", "half": "CONFIRMED",
                          "gpu": "NOT MEASURABLE"})
        self.assertEqual(claims["gpu"]["reason"], "no GPU is measured")
        point, = claims["slower"]["points"]
        low, high = point["ci"]
        self.assertTrue(low <= point["value"] <= high, point)
        self.assertAlmostEqual(point["value"], 4, delta=0.01)
        self.assertEqual([r["variant"] for r in document["results"]], ["good", "bad"])
        self.assertEqual(sorted(point["cases"]), sorted(r["id"] for r in document["results"]))
        self.assertAlmostEqual(study["level"], 1 - 0.05 / 3)
        total = study["account"]["sums"][0]
        self.assertAlmostEqual(total["total"]["value"], point["value"])
        self.assertAlmostEqual(total["residual"]["value"], 1)

    def test_all_shapes(self):
        path = self.folder / "full.json"
        text = self.run_tool("study", self.write(), "--quiet", f"--json={path}").stdout
        study, = self.load(path)["studies"]
        self.assertEqual([p["at"] for p in study["claims"][0]["points"]], ["20000", "40000"])
        again = self.run_tool("report", path).stdout
        for part in ("slower", "CONFIRMED", "NOT MEASURABLE", "account", "residual"):
            self.assertIn(part, text)
            self.assertIn(part, again)

    def test_equal_arms(self):
        """Nothing is a cause that does nothing."""
        self.assertEqual(self.verdict(measure="time_ratio", of=["good", "good"],
                                      expect=[1.01, None]), "REFUTED")

    def test_measures(self):
        good = {"of": ["good"]}
        rows = [
            ({"measure": "metric", "metric": "gops", **good, "expect": [0.01, None]},
             "CONFIRMED"),
            ({"measure": "metric", "metric": "page-faults", **good, "expect": [0, 50]},
             "CONFIRMED"),
            ({"measure": "metric", "metric": "ns_per_op", "of": ["bad", "good"],
              "as": "ratio", "expect": [1.5, 6]}, "CONFIRMED"),
            ({"measure": "slope", **good, "at": ["10000", "20000", "40000"],
              "quick": ["10000", "20000", "40000"], "expect": [0.5, 1.5]}, "CONFIRMED"),
            ({"measure": "noise", "name": "mad", **good, "expect": [0, 10]}, "CONFIRMED"),
            ({"measure": "noise", "name": "floor", **good, "expect": [0, 10]}, "CONFIRMED"),
            ({"measure": "noise", "name": "floor", "of": ["bad"], "expect": [0, 10]},
             "CONFIRMED"),
            ({"measure": "noise", "of": ["bad", "good"], "as": "ratio",
              "expect": [1e-6, 1e6]}, "CONFIRMED"),
            ({"measure": "noise", "of": ["bad", "good"], "as": "difference",
              "expect": [3, 4]}, "REFUTED"),
            ({"measure": "host", "name": "cpus", "expect": [1, None]}, "CONFIRMED"),
            ({"measure": "host", "name": "cpus", "expect": [0, 0]}, "REFUTED"),
            ({"measure": "host", "name": "wings", "expect": [0, 0]}, "NOT MEASURABLE"),
        ]
        claims = [{**CLAIM, **fields, "id": f"x{i}"} for i, (fields, _) in enumerate(rows)]
        found, _, _ = self.study(claims=claims, account=None)
        for i, (fields, verdict) in enumerate(rows):
            with self.subTest(fields=fields):
                self.assertEqual(found[f"x{i}"]["verdict"], verdict, found[f"x{i}"])

    def test_accuracy(self):
        work = {"op": "tanh", "isa": "scalar", "shapes": ["1000"]}
        claim = {**STUDY["claims"][0], "measure": "accuracy",
                 "name": "max_ulp", "of": ["exp"], "expect": [0.1, 10]}
        claims, _, _ = self.study(work=work, arms={"exp": {"variant": "exp"}}, account=None,
                                  claims=[claim])
        self.assertEqual(claims["slower"]["verdict"], "CONFIRMED", claims)

    @unittest.skipIf(sanitized(), "the code has what sanitizers add")
    def test_facts_of_the_code(self):
        claim = self.claim(measure="static", fact="call_instructions", of=["bad", "good"],
                           expect=[1.5, 6], **{"as": "ratio"})
        if claim["verdict"] == "NOT MEASURABLE":
            self.skipTest(claim["reason"])
        self.assertEqual(claim["verdict"], "CONFIRMED", claim)
        self.assertAlmostEqual(*claim["points"][0]["ci"])

    def test_needs(self):
        def claim(need):
            return [{**STUDY["claims"][1], "needs": [need]}]
        for need in "memory:1000000TB", "memory:1e6TiB", "memory:2 GB", "memory:2gb", "cpus:x":
            good = need.endswith("00TB")
            path = self.write(claims=claim(need), account=None)
            done = self.run_tool("study", path, "--quick", status=0 if good else 2)
            with self.subTest(need):
                self.assertIn("NOT MEASURABLE" if good else "claims[0].needs[0]: expected ",
                              done.stdout if good else done.stderr)

    def test_arms_that_cannot_be(self):
        """They cost their own claims alone, whichever arm leads the rounds."""
        arms = {**STUDY["arms"], "nobody": {"variant": "nobody"},
                "gone": {"module": "./gone.so", "variant": "good"},
                "wrong": {"module": f"{MODULES}/wrong_result.so", "variant": "bad"}}
        claims = [{**STUDY["claims"][0], "id": name, "of": [name, "good"]}
                  for name in ("nobody", "gone", "wrong")]
        claims += [{**STUDY["claims"][0], "id": f"of {name}", "of": ["good", name]}
                   for name in ("wrong", "gone")] + [STUDY["claims"][0]]
        found, _, _ = self.study(arms=arms, claims=claims, account=None)
        for name in ("nobody", "gone", "wrong", "of wrong", "of gone"):
            with self.subTest(claim=name):
                self.assertEqual(found[name]["verdict"], "NOT MEASURABLE")
                self.assertIn(f"arm {name.removeprefix('of ')}", found[name]["reason"])
        self.assertEqual(found["slower"]["verdict"], "CONFIRMED")

    def test_modules_beside_the_study(self):
        shutil.copy(MODULES / "pace.so", self.folder)
        work = {**STUDY["work"], "module": "./pace.so"}
        self.assertEqual(self.study(work=work)[0]["slower"]["verdict"], "CONFIRMED")

    def test_evidence(self):
        against = {**STUDY["claims"][0], "evidence": [
            {"measure": "arithmetic", "formula": "2", "expect": [3, 4], "why": "no"}]}
        claims, _, _ = self.study(claims=[against], account=None)
        self.assertEqual(claims["slower"]["verdict"], "CONFIRMED")
        self.assertTrue(claims["slower"]["contested"])
        self.run_tool("study", self.write(claims=[against], account=None), "--quick",
                      "--quiet", "--expect=confirmed", status=1)


class StudyUsage(StudyCase):
    def test_one_claim(self):
        claims, study, document = self.study("--claim=half")
        self.assertEqual(list(claims), ["half"])
        self.assertIsNone(study["account"])
        self.assertEqual(document.get("results", []), [])

    def test_exit_status(self):
        self.study("--claim=half", "--expect=confirmed", "--strict")
        self.study("--claim=half", "--claim=gpu", "--expect=confirmed")
        self.study("--claim=half", "--claim=gpu", "--expect=confirmed", "--strict", status=3)
        claims = [{**STUDY["claims"][1], "expect": [1, 2]}]
        self.study("--claim=half", claims=claims)
        self.study("--claim=half", "--expect=confirmed", claims=claims, status=1)

    def test_plan(self):
        # Arms that differ in a setting alone have ids that differ.
        plan = self.run_tool("study", "trueno", "--claim=22", "--dry-run").stdout
        self.assertIn("relu/f32/sse2/max@100000;align=4\n", plan)
        self.assertIn("relu/f32/sse2/max@100000\n", plan)
        text = self.run_tool("study", self.write(), "--dry-run").stdout
        for part in ("3 claims", "20000", "40000", "twice/f32/scalar/bad@40000",
                     "once more", "gpu cannot be measured here: no GPU is measured"):
            self.assertIn(part, text)

    def test_mistakes(self):
        rows = [
            (["study", "nobody"], "no study 'nobody'"),
            (["study", self.folder / "gone.json"], "gone.json"),
            (["study", self.write(), "--claim=slowest"], "did you mean slower?"),
            (["study", self.write(), "--isa=scalar"], "--isa is no option of study"),
            (["study"], "study"),
        ]
        for arguments, part in rows:
            with self.subTest(arguments=arguments):
                self.assertIn(part, self.run_tool(*arguments, status=2).stderr)

    def test_bad_files(self):
        """Errors name the path of the field."""
        bad = copy.deepcopy(STUDY["claims"])
        bad[1]["expect"] = [1]
        self.assertIn("claims[1].expect", self.run_tool(
            "study", self.write(claims=bad), status=2).stderr)
        self.assertIn("arms.good.speed", self.run_tool(
            "study", self.write(arms={"good": {"speed": 1}}), status=2).stderr)

    def test_studies_of_the_program(self):
        names = {path.stem for path in (SOURCE / "studies").glob("*.json")}
        text = self.run_tool("list", "studies").stdout
        self.assertEqual({line.split()[0] for line in text.splitlines()}, names)
        for name in names:
            with self.subTest(study=name):
                self.assertIn(f"{name}: ", self.run_tool("study", name, "--dry-run").stdout)

    def test_history(self):
        path = self.folder / "history.sqlite"
        done = subprocess.run([BINARY, "study", self.write(), "--quick", "--quiet",
                               f"--history={path}"], text=True, capture_output=True,
                              env=environment(), check=False)
        if "SQLite" in done.stderr:
            self.skipTest("built without SQLite")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bad@20000", self.run_tool("history", f"--history={path}").stdout)
