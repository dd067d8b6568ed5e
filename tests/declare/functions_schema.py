#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reader and schema of files of declared functions take the same documents.

usage: functions_schema.py READ_FUNCTIONS SCHEMA
"""
import copy
import json
import subprocess
import sys
import unittest

import jsonschema

PROGRAM, SCHEMA_FILE = sys.argv[1:3]
WHOLE = {
    "$schema": "functions-1.json", "functions": 1,
    "ops": [{
        "name": "mix",
        "prototype": "void (inout float dst[n], const float src[n], float gain = 0.5, size_t n)",
        "kernels": {"scalar": "mix_c", "avx2": ["mix_avx2", "table[1]"], "avx512+vnni": "v()"},
        "library": "build/libmix.so", "reference": "mix_c", "tolerance": "rel:1e-5",
        "inputs": {"src": "uniform:0..1"}, "work": {"ops": "2 * n"}, "roof": "copy",
        "sizes": "1Ki..1Mi", "shapes": {"small-1.5": "16 32"}, "tails": "1..70", "calls": "./mix.calls",
        "overread": 32, "reset": True}]}
VALUES = [None, True, False, 0, 1, -1, 1.5, 5000, "", "x", "exact", [], ["f"], [3], {}, {"ops": "n"},
          {"src": "zero"}, {"a b": "x"}, {"-a": "x"}, {"lib": []}, {"lib": ["f", ""]}, {"ops": 2}]


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA_FILE, encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def reader_takes(self, document):
        done = subprocess.run([PROGRAM], input=json.dumps(document).encode(),
                              capture_output=True, check=False)
        self.assertIn(done.returncode, (0, 1))
        self.assertEqual(done.returncode == 0, not done.stderr)
        return done.returncode == 0

    def test_whole(self):
        self.assertEqual(list(self.validator.iter_errors(WHOLE)), [])
        self.assertTrue(self.reader_takes(WHOLE))

    def test_members(self):
        changed = 0
        for key in [*WHOLE["ops"][0], "unknown"]:
            for value in VALUES:
                document = copy.deepcopy(WHOLE)
                document["ops"][0][key] = value
                # These the schema cannot tell: other languages, names of arguments.
                if isinstance(value, str) and value and key in ("prototype", "tolerance"):
                    continue
                if key == "inputs" and isinstance(value, dict) and value != {"src": "zero"}:
                    continue
                with self.subTest(key=key, value=value):
                    self.assertEqual(self.reader_takes(document),
                                     self.validator.is_valid(document))
                changed += 1
        self.assertGreater(changed, 250)

    def test_missing(self):
        for key in list(WHOLE["ops"][0]):
            document = copy.deepcopy(WHOLE)
            del document["ops"][0][key]
            with self.subTest(key=key):
                self.assertEqual(self.reader_takes(document), self.validator.is_valid(document))
        for key in WHOLE:
            document = {k: v for k, v in WHOLE.items() if k != key}
            with self.subTest(key=key):
                self.assertEqual(self.reader_takes(document), self.validator.is_valid(document))
                self.assertEqual(self.validator.is_valid(document), key == "$schema")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
