#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Validates what the JSON writer writes against reports/json/schema.json, and study files against
reports/json/study-schema.json.

usage: schema.py SAMPLE_JSON SCHEMA STUDY_SCHEMA
"""
import copy
import json
import subprocess
import sys
import unittest

import jsonschema

PROGRAM, SCHEMA_FILE, STUDY_SCHEMA_FILE = sys.argv[1:4]


def reject_constant(name):
    raise ValueError(f"{name} is no JSON")


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"duplicate key among {keys}")
    return dict(pairs)


def sample(which):
    text = subprocess.run([PROGRAM, which], check=True, capture_output=True).stdout
    return json.loads(text.decode("utf-8"), parse_constant=reject_constant,
                      object_pairs_hook=unique)


def validator(path):
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validator = validator(SCHEMA_FILE)
        cls.run_sample = sample("run")

    def test_documents_are_valid(self):
        for which in ("plan", "run", "hostile", "gate", "why", "study", "empty"):
            with self.subTest(which):
                errors = [f"{list(e.absolute_path)}: {e.message}"
                          for e in self.validator.iter_errors(sample(which))]
                self.assertEqual(errors, [])

    def test_documents_show_everything(self):
        results = self.run_sample["results"]
        self.assertEqual({r["status"] for r in results},
                         {"ok", "skipped", "wrong", "failed", "noisy"})
        self.assertEqual({r["role"] for r in results}, {"kernel", "baseline", "roof"})
        self.assertEqual(self.run_sample["seed"], "18446744073709551615")
        self.assertEqual(self.run_sample["host"]["cpu"],
                         self.run_sample["host"]["identity"]["cpu"])
        self.assertTrue(any(r["ratios"] for r in results))
        self.assertTrue(any(x["unpaired"] for r in results for x in r["ratios"]))
        self.assertTrue(any(r["metrics"] for r in results))
        self.assertTrue(any(r["accuracy"] and r["accuracy"]["max_ulp"] for r in results))
        for key in ("layout", "implementation", "unranked", "source", "workspace_bytes",
                    "apart", "voided_ns", "shared", "stopped", "proof"):
            self.assertTrue(any(r[key] for r in results), key)
        self.assertEqual([s["name"] for s in self.run_sample["sources"]], ["b.json"])
        self.assertTrue(any(r["limit"] and "gbps" in r["limit"] for r in results))

    def test_older_documents_are_valid(self):
        document = copy.deepcopy(self.run_sample)
        for key in ("sources", "gate", "studies", "account"):
            del document[key]
        for result in document["results"]:
            for key in ("layout", "implementation", "unranked", "source",
                        "workspace_bytes", "accuracy", "metrics", "comparison", "apart", "voided_ns", "shared",
                        "stopped", "proof", "base_proof", "explanation"):
                del result[key]
            for ratio in result["ratios"]:
                del ratio["unpaired"]
        self.assertTrue(self.validator.is_valid(document))

    def test_bad_comparisons_are_rejected(self):
        gate = sample("gate")
        for owner in (gate["gate"], gate["results"][0]["comparison"]):
            for key in list(owner):
                if key not in ("refused", "selftest", "settings", "strict", "own_processes",
                               "threshold", "seconds", "reason", "significant",
                               "ci_level", "code", "equal", "drift", "between", "between_alone",
                               "controls", "rows", "base_share", "base_ratios", "placement", "left_out",
                               "lacking", "placed", "harness", "functions", "remark",
                               "rounding"):
                    with self.subTest(missing=key):
                        value = owner.pop(key)
                        self.assertFalse(self.validator.is_valid(gate))
                        owner[key] = value
        gate["results"][0]["comparison"]["trials"]["base_ns"][0] = 0
        self.assertFalse(self.validator.is_valid(gate))

    def test_bad_explanations_are_rejected(self):
        document = sample("why")
        result = document["results"][0]
        why = result["explanation"]
        optional = {"not_traced", "source", "mix", "text", "unit", "at_least", "of", "ci_level",
                    "refute", "experiment", "remedy", "limits", "refuted", "counter",
                    "missing", "why", "reaches", "absent", "modules", "producer", "mixes_sse_avx", "exact",
                    "bounds", "form", "latency", "throughput"}
        account = document["account"]
        owners = [account, account["factors"][0], why, why["executed"], why["residual"], why["loops"][0],
                  why["loops"][0]["code"][0], why["bounds"][0], why["excluded"][0],
                  why["excluded"][0]["why"], why["unknown"][0], why["experiments"][0],
                  result["findings"][0], result["findings"][0]["evidence"][0]]
        for owner in owners:
            for key in set(owner) - optional:
                with self.subTest(missing=key):
                    value = owner.pop(key)
                    self.assertFalse(self.validator.is_valid(document))
                    owner[key] = value
        self.assertTrue(self.validator.is_valid(document))
        del account["absent"]
        self.assertFalse(self.validator.is_valid(document))

    def test_code_of_a_gate(self):
        results = sample("gate")["results"]
        self.assertEqual({r["comparison"]["code"] and r["comparison"]["code"]["verdict"]
                          for r in results}, {None, "WORSE", "NO WORSE", "NOT JUDGED"})
        call, = (r["proof"]["call"] for r in self.run_sample["results"]
                 if r["proof"] and r["proof"].get("call"))
        self.assertEqual(call["loops"][0]["spills"], 2048)

    def reject(self, change):
        document = copy.deepcopy(self.run_sample)
        change(document, document["results"][0])
        self.assertFalse(self.validator.is_valid(document))

    def test_bad_documents_are_rejected(self):
        for key in self.run_sample:
            if key not in ("account", "answer", "gate", "interrupted", "sources", "studies"):
                with self.subTest(missing=key):
                    self.reject(lambda d, r, key=key: d.pop(key))
        for key in self.run_sample["results"][0]:
            if key not in ("notes", "module_version", "module_core", "module_isa",
                           "input_hash", "layout", "implementation", "unranked", "unoptimised",
                           "code_print", "source", "workspace_bytes", "accuracy", "metrics", "comparison", "apart", "voided_ns",
                           "shared", "stopped", "proof", "base_proof", "explanation",
                           "fastest"):
                with self.subTest(missing=key):
                    self.reject(lambda d, r, key=key: r.pop(key))
        bad = {
            "version": lambda d, r: d.update(schema_version=2),
            "seed": lambda d, r: d.update(seed=7),
            "status": lambda d, r: r.update(status="good"),
            "reason": lambda d, r: r.update(status="failed", reason=None),
            "sample": lambda d, r: r["samples_ns"].append("1"),
            "negative": lambda d, r: r["samples_ns"].append(-1),
            "threads": lambda d, r: r.update(threads=1.5),
            "interval": lambda d, r: r["summary"].update(ci_ns=[1]),
            "counter": lambda d, r: r["counters"].update(x={"value": 1}),
            "both": lambda d, r: r["counters"]["instructions"].update(absent="no"),
            "metric": lambda d, r: r["metrics"].update(x={"value": "1", "unit": ""}),
            "layout": lambda d, r: r.update(layout=8),
            "workspace": lambda d, r: r.update(workspace_bytes=-1),
            "accuracy": lambda d, r: r.update(accuracy={"max_ulp": 1.5}),
            "unpaired": lambda d, r: r["ratios"][0].update(unpaired="no"),
            "source": lambda d, r: d["sources"].append({}),
            "proof": lambda d, r: r.update(proof={"absent": None, "mode": "maybe"}),
            "share": lambda d, r: r["proof"]["isa"].update(avx=1.5),
            "fact": lambda d, r: d["settings"].update(x=[]),
        }
        for name, change in bad.items():
            with self.subTest(name):
                self.reject(change)

    def test_bad_studies_of_a_run_are_rejected(self):
        document = sample("study")
        study, = document["studies"]
        claim = study["claims"][0]
        optional = {"title", "source", "is_quick", "ci_level", "as", "at", "quick", "needs", "why",
                    "quote", "text", "kind", "their", "note", "instead", "confounders",
                    "confirms", "refutes", "by_construction", "learned"}
        for owner in (study, claim, claim["evidence"][0], claim["points"][0],
                      study["account"], study["account"]["sums"][0]):
            for key in set(owner) - optional - {"fact"} - (
                    {"at", "reason", "type"} if "residual" in owner else set()):
                with self.subTest(missing=key):
                    value = owner.pop(key)
                    self.assertFalse(self.validator.is_valid(document))
                    owner[key] = value
        self.assertTrue(self.validator.is_valid(document))


class StudyFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.validator = validator(STUDY_SCHEMA_FILE)
        cls.file = sample("study-file")

    def reject(self, change):
        document = copy.deepcopy(self.file)
        change(document, document["claims"][0])
        self.assertFalse(self.validator.is_valid(document))

    def test_the_sample_is_valid(self):
        self.assertEqual([e.message for e in self.validator.iter_errors(self.file)], [])
        self.assertEqual(len({c["measure"] for c in self.file["claims"]} |
                             {e["measure"] for c in self.file["claims"]
                              for e in c.get("evidence", [])}), 11)

    def test_bad_files_are_rejected(self):
        bad = {
            "version": lambda d, c: d.update(study=2),
            "name": lambda d, c: d.update(name="a b"),
            "no claims": lambda d, c: d.update(claims=[]),
            "unknown": lambda d, c: d.update(claim=[]),
            "unknown of a claim": lambda d, c: c.update(expects=[1, 2]),
            "unknown of evidence": lambda d, c: c["evidence"][0].update(id="1"),
            "unknown of an arm": lambda d, c: d["arms"]["clean"].update(kernel="x"),
            "pages": lambda d, c: d["arms"]["clean"].update(pages="1g"),
            "threads": lambda d, c: d["arms"]["clean"].update(threads=0),
            "measure": lambda d, c: c.update(measure="time"),
            "one arm": lambda d, c: c.update(of=["spill"]),
            "no arms": lambda d, c: c.pop("of"),
            "open": lambda d, c: c.update(expect=[None, None]),
            "one end": lambda d, c: c.update(expect=[1]),
            "no fact": lambda d, c: c["evidence"][0].pop("fact"),
            "needs": lambda d, c: c.update(needs=["cores:8"]),
            "kind": lambda d, c: c.update(kind="X"),
            "no quote": lambda d, c: c.pop("quote"),
            "quote by us": lambda d, c: c.update(by="us", text="x"),
            "account": lambda d, c: d["account"].update(parts=[]),
            "pair": lambda d, c: d["account"].update(total=["both"]),
        }
        for name, change in bad.items():
            with self.subTest(name):
                self.reject(change)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
