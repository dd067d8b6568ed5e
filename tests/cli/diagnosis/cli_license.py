# SPDX-License-Identifier: Apache-2.0
"""simdbench license: what it prints, its JSON, CPUs without wide vectors."""
import json
import re

from cli_run import old_cpu
from cli_tool import Case

VERDICTS = ("none", "light", "heavy", "unknown")


class License(Case):
    def document(self, *arguments, **more):
        path = self.folder / "license.json"
        text = self.run_tool(*arguments, f"--json={path}", **more).stdout
        return text, json.loads(path.read_text(encoding="utf-8"))

    def check(self, text, document):
        self.assertIn(document["verdict"], VERDICTS)
        self.assertTrue(document["reason"])
        answer = document["answer"]
        self.assertEqual(text.rstrip("\n").split("\n")[-len(answer) - 1:], ["", *answer])
        self.assertTrue(answer[0].endswith(f": {document['reason']}"), answer)
        self.assertEqual([s["scope"] for s in document["scopes"]], ["one core", "all cores"])
        for scope in document["scopes"]:
            self.assertTrue(scope["skipped"] or scope["classes"], scope)
            for entry in scope["classes"]:
                if entry["skipped"]:
                    self.assertNotIn("ghz", entry)
                else:
                    self.assertEqual(len(entry["samples_ghz"]), scope["rounds"])
        one = document["scopes"][0]
        self.assertEqual(one["classes"][0]["class"], "scalar")
        self.assertEqual(one["classes"][-1]["class"], "scalar again")
        self.assertIn(document["verdict_by"], ("clock", "licence counters"))
        if document["counters_absent"]:
            self.assertEqual(text.count("no licence counters"), 1)
        else:
            for entry in one["classes"]:
                self.assertTrue(entry["skipped"] or "license_2_share" in entry)

    def test_quick(self):
        text, document = self.document("license", "--quick", "--rounds=2")
        self.check(text, document)
        self.assertEqual(document["net"], [])
        self.assertIn("--quick", document["net_skipped"])

    def test_markdown(self):
        text = self.run_tool("license", "--quick", "--rounds=2", "--quiet",
                             "--format=markdown").stdout
        lines = text.splitlines()
        self.assertEqual(lines[0], "# simdbench license")
        self.assertRegex(lines[2], r"^\*\*.+: .+\*\*$")
        self.assertTrue(any(line.startswith("| work | clock | of scalar |") for line in lines))
        self.assertTrue(any(line.startswith("| scalar | ") for line in lines), text)

    def test_net(self):
        text, document = self.document("license", "--rounds=1")
        self.check(text, document)
        if document["net_skipped"]:
            self.assertIn("avx512", document["net_skipped"])
            return
        self.assertEqual([n["op"] for n in document["net"]], ["gemm", "relu", "tanh", "conv"])
        for net in document["net"]:
            self.assertTrue(net["skipped"] or net["shapes"], net)
            for point in net["shapes"]:
                self.assertIn("/avx512/", point["wide"])
                self.assertNotIn("/avx512/", point["narrow"])

    def test_mistakes(self):
        for arguments, word in ((["--rounds=0"], "--rounds"), (["extra"], "extra"),
                                (["--isa=avx2"], "--isa"), (["--format=csv"], "--format"),
                                (["--cpu=99999"], "--cpu"),
                                (["--json=no/such/file"], "no/such")):
            with self.subTest(arguments=arguments):
                done = self.run_tool("license", *arguments, status=2, cwd=self.folder)
                self.assertEqual(done.stdout, "")
                self.assertIn(word, done.stderr)


class OldCpuLicense(License):
    """The same on an emulated CPU without AVX; nothing that it lacks is tried."""
    test_net = test_mistakes = test_markdown = None

    def test_quick(self):
        text, document = self.document("license", "--rounds=2", before=old_cpu(self))
        self.check(text, document)
        self.assertIn("avx512", document["net_skipped"])
        for scope in document["scopes"]:
            for entry in scope["classes"]:
                if re.match("256|512", entry["class"]):
                    self.assertIn("lacks", entry["skipped"])
