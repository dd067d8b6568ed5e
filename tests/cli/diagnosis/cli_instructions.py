# SPDX-License-Identifier: Apache-2.0
"""simdbench doctor instructions: forms, tables and JSON, with costs that are made up."""
from cli_tool import *

SCHEMA = SOURCE / "reports/json/instructions-schema.json"


class Instructions(Case):
    def setUp(self):
        super().setUp()
        self.env = environment(XDG_CACHE_HOME=str(self.folder),
                               SIMDBENCH_TEST_COSTS="vpcompress*=70,vpermd zmm*=5")

    def forms(self, *arguments):
        """{form: entry}, after a look at the schema."""
        text = self.run_tool("doctor", "instructions", *arguments, "--format=json",
                             env=self.env).stdout
        document = json.loads(text)
        try:
            import jsonschema
            schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
            jsonschema.validators.validator_for(schema)(schema).validate(document)
        except ImportError:
            pass
        self.assertTrue(document["made_up"])
        return {form["form"]: form for form in document["forms"]}

    def test_globs(self):
        """One without a space is about the mnemonic; several add up."""
        forms = self.forms("vpcompress?", "vpermd zmm, *")
        self.assertEqual({name.split(" ")[0] for name in forms},
                         {"vpcompressb", "vpcompressd", "vpcompressq", "vpcompressw", "vpermd"})
        self.assertEqual(forms["vpcompressb m512{k}, zmm"]["throughput"], 70)
        self.assertEqual(forms["vpcompressb m512{k}, zmm"]["latency"],
                         [{"from": "mask", "to": "op1", "cycles": 70, "cycles_full": 70},
                          {"from": "op2", "to": "op1", "cycles": 70, "cycles_full": 70}])
        self.assertNotIn("vpermd ymm, ymm, ymm", forms)
        self.assertEqual(forms["vpermd zmm, zmm, zmm"]["throughput"], 5)

    def test_isa(self):
        wide = self.forms("vaddps", "--isa=avx512")
        self.assertIn("vaddps zmm, zmm, zmm", wide)
        self.assertNotIn("vaddps ymm, ymm, ymm", wide)
        self.assertEqual(set(self.forms("*addps", "--isa=sse2")),
                         {"addps xmm, xmm", "addps xmm, m128", "haddps xmm, xmm", "haddps xmm, m128"})
        error = self.run_tool("doctor", "instructions", "vaddps", "--isa=scalar", env=self.env,
                              status=2).stderr
        self.assertIn("--isa leaves out all of its forms", error)

    def test_table(self):
        text = self.run_tool("doctor", "instructions", "vpermd ymm, ymm, ymm", "jmp r64",
                             env=self.env).stdout
        self.assertRegex(text, r"(?m)^form +throughput  latency$")
        self.assertRegex(text, r"(?m)^vpermd ymm, ymm, ymm +1\.00  op2, op3 -> op1 1\.00$")
        self.assertRegex(text, r"(?m)^jmp r64 +-  it leaves the sequence$")
        self.assertIn("1 of 2 forms measured", text)
        self.assertIn("made up for a test", text)

    def test_nothing_can_be_measured(self):
        self.assertIn("it is privileged",
                      self.run_tool("doctor", "instructions", "hlt", env=self.env,
                                    status=5).stdout)

    def test_errors(self):
        for arguments, error in ((["vpcompresb"], "vpcompresb: no form of an instruction matches; "
                                                  "did you mean vpcompressb"),
                                 (["vaddps", "nothing*like*it"], "nothing*like*it: no form"),
                                 (["vpermd zmm, zmm"], "did you mean vpermd zmm, zmm, zmm"),
                                 ([], "doctor instructions needs forms")):
            with self.subTest(arguments=arguments):
                self.assertIn(error, self.run_tool("doctor", "instructions", *arguments,
                                                   env=self.env, status=2).stderr)
        self.assertIn("there are only doctor counters and doctor instructions",
                      self.run_tool("doctor", "nothing", status=2).stderr)

    def test_nothing_is_kept_of_a_test(self):
        self.forms("vaddps")
        self.assertFalse((Path(self.folder) / "simdbench" / "instructions.json").exists())

    def test_asm(self):
        """Instructions of the hot loop have their form and its costs. The hot loop with
        sanitizers is at times one of theirs, which has none."""
        path = Path(self.folder) / "run.json"
        text = self.run_tool("explain", "relu/f32/sse2/max@512", "--asm", "--quiet",
                             f"--json={path}", env=self.env).stdout
        (result,) = [r for r in self.load(path)["results"] if r["explanation"]]
        code = result["explanation"]["loops"][0]["code"]
        lines = [line for line in code if line["form"]]
        if sanitized() and not lines:
            return
        self.assertGreater(len(lines), len(code) / 2, code)
        self.assertEqual(lines[0]["throughput"], 1)
        self.assertEqual(lines[0]["latency"], 1)
        self.assertRegex(text, r"% +1\.00/1\.00  [a-z]+ ")
        self.assertIn("latency/throughput in cycles", text)
        bounds = {bound["name"]: bound for bound in result["explanation"]["bounds"]}
        self.assertTrue(not bounds or "form_cycles" in bounds, bounds)
