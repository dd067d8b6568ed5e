#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the studies that simdbench brings: their claims, arms and quotes. With the folder of the
texts in STUDY_TEXTS, quotes are looked up there; a text is found by its hash.

usage: studies.py ROOT COMPILER...
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema

ROOT, COMPILER = Path(sys.argv[1]), sys.argv[2:]
# The claims of each text, in its order.
CLAIMS = {
    "tropical-gemm": [str(i) for i in range(1, 23)] + ["A"],
    "trueno": [str(i) for i in range(1, 30)],
    "burn-conv": [str(i) for i in range(1, 23)],
    "rusttensor": [str(i) for i in range(1, 33)],
    "nnc-relu": [str(i) for i in range(1, 15)],
}
QUOTE_WORDS = 15
# measure: how many arms, and the field that says what
MEASURES = {
    "time_ratio": ((2,), None), "thread_ratio": ((1,), "threads"),
    "limit_share": ((1,), None), "metric": ((1, 2), "metric"), "static": ((1, 2), "fact"),
    "slope": ((1,), None), "explained": ((2,), "count"), "noise": ((1, 2), "name"),
    "accuracy": ((1,), "name"), "arithmetic": ((0,), "formula"), "host": ((0,), "name"),
}
NEEDS = re.compile(r"(cpus:[1-9]\d*|memory:\d+(\.\d+)?[MGT]i?B|(module|isa|event|uarch):\S+|never:.+)$")


def plain(text):
    """Without marks of emphasis and line breaks."""
    return " ".join(text.replace("**", "").replace("`", "").split())


def parts(quote):
    """What stands between omissions."""
    return [plain(part) for part in quote.split(" ... ")]


def rows(table, *defines):
    """What each ROW(...) of a table has, for this CPU."""
    done = subprocess.run([*COMPILER, "-E", "-P", "-x", "c", *defines, ROOT / table], check=True,
                          capture_output=True, text=True)
    return [[word.strip() for word in row.split(",")]
            for row in re.findall(r"ROW\(([^)]*)", done.stdout)]


def kernels():
    """(module or None, op, semiring, type, isa, variant) of the tables of kernels."""
    own = rows("kernels/kernels.def", "-DOP(op)=", "-DKERNEL(...)=ROW(__VA_ARGS__)")
    study = rows("kernels/modules/study/study.def")
    return ({(None, *row[:5]) for row in own} |
            {("study", *row[:2], "f32", *row[2:4]) for row in study})


def studies():
    for path in sorted((ROOT / "studies").glob("*.json")):
        yield path.stem, json.loads(path.read_text(encoding="utf-8"))


def checks(study):
    for claim in study["claims"]:
        yield claim["id"], claim
        for evidence in claim.get("evidence", []):
            yield claim["id"], evidence


class Studies(unittest.TestCase):
    def test_all_claims_are_there(self):
        found = {}
        for name, study in studies():
            self.assertEqual(study["name"], name)
            ids = [claim["id"] for claim in study["claims"]]
            self.assertEqual(len(ids), len(set(ids)))
            # A claim with two sides has parts: 5a, 5b.
            found[name] = [i for i in ids if re.fullmatch(r"\d+|[A-Z]", i)]
            for other in set(ids) - set(found[name]):
                self.assertIn(other[:-1], ids)
        self.assertEqual(found, CLAIMS)

    def test_claims_have_words(self):
        for name, study in studies():
            for claim in study["claims"]:
                with self.subTest(name, claim=claim["id"]):
                    self.assertIn(claim["kind"], tuple("PCFTS"))
                    self.assertTrue(claim["their"])
                    if claim.get("by") == "us":
                        self.assertNotIn("quote", claim)
                        self.assertTrue(claim["text"])
                        continue
                    self.assertLessEqual(len(claim["quote"].split()), QUOTE_WORDS)
                    self.assertTrue(all(parts(claim["quote"])))

    def test_outcomes_have_sentences(self):
        """A reader learns something whatever comes out, and three things first."""
        for name, study in studies():
            for claim in study["claims"]:
                for outcome in ("confirms", "refutes"):
                    with self.subTest(name, claim=claim["id"], outcome=outcome):
                        sentence = claim[outcome]
                        self.assertRegex(sentence, r"^[A-Z0-9].{10,160}[^.]\.$")
                self.assertNotEqual(claim["confirms"], claim["refutes"])
            self.assertEqual(sum(claim.get("learned", False) for claim in study["claims"]), 3, name)

    def test_code_is_counted_without_remainders(self):
        """A row of pixels that leaves a remainder may have its hot loop there."""
        study, = (study for name, study in studies() if name == "burn-conv")
        counted = 0
        for claim, check in checks(study):
            for arm in check.get("of", []) if check["measure"] == "static" else []:
                variant = study["arms"][arm]["variant"]
                columns = 20 if variant.startswith("spill") else \
                    int(re.sub(r"\D", "", variant) or 8)
                for shape in check["at"]:
                    counted += 1
                    with self.subTest(claim=claim, arm=arm):
                        width = int(re.search(r"w(\d+)", shape)[1])
                        self.assertEqual((width - 2) % columns, 0)
        self.assertGreater(counted, 10)

    def test_one_outcome_is_marked(self):
        """A claim about what a row executes or allocates that was built for it says so."""
        for name, study in studies():
            for claim in study["claims"]:
                built = all(study["arms"][arm].get("module") in (None, "study")
                            for arm in claim.get("of", ["none"]) if arm in study["arms"])
                one = len(claim.get("of", [])) == 1
                what = claim.get("fact", claim.get("metric"))
                if built and one and what in ("widest_bits", "workspace_bytes"):
                    with self.subTest(name, claim=claim["id"]):
                        self.assertIs(claim.get("by_construction"), True)

    def test_quotes_are_in_the_texts(self):
        folder = os.environ.get("STUDY_TEXTS")
        if not folder:
            self.skipTest("STUDY_TEXTS names no folder")
        texts = {hashlib.sha256(path.read_bytes()).hexdigest(): path.read_text(encoding="utf-8")
                 for path in Path(folder).iterdir() if path.is_file()}
        for name, study in studies():
            text = plain(texts[study["source"]["sha256"]])
            for claim in study["claims"]:
                at = 0
                for part in parts(claim.get("quote", "")):
                    with self.subTest(name, claim=claim["id"], part=part):
                        at = text.find(part, at)
                        self.assertGreaterEqual(at, 0, "not there, or not in this order")
                    at += len(part)

    def test_checks_are_complete(self):
        for name, study in studies():
            for claim, check in checks(study):
                with self.subTest(name, claim=claim, measure=check["measure"]):
                    arms, field = MEASURES[check["measure"]]
                    of = check.get("of", [])
                    self.assertIn(len(of), arms)
                    self.assertLessEqual(set(of), set(study["arms"]))
                    if field:
                        self.assertIn(field, check)
                    ratios = check["measure"] in ("time_ratio", "explained")
                    self.assertEqual("as" in check, len(of) == 2 and not ratios)
                    low, high = check["expect"]
                    self.assertTrue(low is not None or high is not None)
                    self.assertTrue(low is None or high is None or low <= high)
                    self.assertTrue(all(NEEDS.match(need) for need in check.get("needs", [])))

    def test_schema(self):
        text = (ROOT / "reports/json/study-schema.json").read_text(encoding="utf-8")
        validator = jsonschema.Draft202012Validator(json.loads(text))
        for name, study in studies():
            errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(study)]
            self.assertEqual(errors, [], name)

    def test_arms_are_rows(self):
        known = kernels()
        self.assertGreater(len(known), 100)
        if not any(row[4] == "avx2" for row in known):
            self.skipTest("the arms are rows of x86-64")
        for name, study in studies():
            for arm, own in study["arms"].items():
                with self.subTest(name, arm=arm):
                    case = {"semiring": "", "module": None, **study["work"], **own}
                    if case["module"] not in (None, "study"):
                        text = "".join(path.read_text(encoding="utf-8") for path in
                                       [*ROOT.glob(f"kernels/modules/{case['module']}*.c"),
                                        *ROOT.glob(f"scripts/baseline-{case['module']}"),
                                        *ROOT.glob(f"peers/{case['module']}/*.rs")])
                        self.assertTrue(re.search(rf"\b{case['variant']}\b", text))
                        continue
                    key = [case[k] for k in ("module", "op", "semiring", "type", "isa", "variant")]
                    self.assertIn(tuple(key), known)

    def test_evidence_says_why(self):
        for name, study in studies():
            for claim in study["claims"]:
                for evidence in claim.get("evidence", []):
                    with self.subTest(name, claim=claim["id"]):
                        self.assertTrue(evidence.get("why") or
                                        evidence["measure"] == claim["measure"])

    def test_links_lead_somewhere(self):
        for name, study in studies():
            ids = {claim["id"] for claim in study["claims"]}
            self.assertLessEqual({c["instead"] for c in study["claims"] if "instead" in c}, ids, name)
            used = {arm for _, check in checks(study) for arm in check.get("of", [])}
            account = study.get("account")
            if account:
                pairs = [account["total"], *account["parts"],
                         *account.get("reverse", [])]
                used |= {arm for pair in pairs for arm in pair}
            self.assertEqual(used, set(study["arms"]), name)

    def test_arms_are_introduced(self):
        """An arm that a report names is described in words, each of a study in other ones."""
        for name, study in studies():
            said = [arm["is"] for arm in study["arms"].values()]
            self.assertEqual(len(said), len(set(said)), name)
            self.assertTrue(all(len(text) > 8 and not text.endswith(".") for text in said), name)

    def test_never_has_a_reason(self):
        for name, study in studies():
            for claim in study["claims"]:
                never = [n for n in claim.get("needs", []) if n.startswith("never:")]
                self.assertTrue(all(len(n) > 20 for n in never), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
