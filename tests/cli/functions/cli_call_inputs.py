# SPDX-License-Identifier: Apache-2.0
"""`simdbench call`: the inputs of a function, and which of them each call gets."""
import os
import re

from cli_call import MIX, SOURCE, CallCase
from cli_tool import SHORT, environment, kernels


class CallInputs(CallCase):
    def test_seed(self):
        """An op's own generator gets the seed of the inputs."""
        told = []
        for seed in 1, 1, 2:
            row = self.call("first_u32,zero_u32", "uint32_t (const uint32_t x[2] then "
                            "draw_seeded(x, 2, seed))", "--reference=first_u32",
                            f"--seed={seed}", status=4)["zero_u32"]
            told.append(re.search(r"should be (\d+)", row["reason"])[1])
        self.assertEqual(told[0], told[1])
        self.assertNotEqual(told[0], told[2])

    def test_structures_that_are_not_any_bytes(self):
        """A program's bytes are structures; its pointers are none here."""
        of_bool = "struct s {bool on; int v;}; uint32_t (const struct s x[1], size_t n = 8)"
        of_pointer = of_bool.replace("bool on", "char *on")
        (self.folder / "bytes").write_bytes(bytes(range(2)) * 99)
        words = [f"{self.built}:sum_u8", of_bool, "--reference=sum_u8", "--quiet", *SHORT]
        for option, prototype, good in (
                (f"x=file:{self.folder}/bytes", of_bool, True), ("zero", of_bool, True),
                ("zero", of_pointer, True), (None, of_bool, False), ("runs", of_bool, False),
                (f"x=file:{self.folder}/bytes", of_pointer, False)):
            words[1] = prototype
            done = self.run_tool("call", *words, *([f"--input={option}"] if option else []),
                                 status=0 if good else 2)
            self.assertEqual("is in its structure" in done.stdout + done.stderr, not good, option)

    def test_places(self):
        """Ends of ranges, and rows of an image that is larger."""
        self.right("range_sum", "uint32_t (const uint32_t x[n], const uint32_t *end = x + n) for n",
                   "--sizes=1000")
        prototype = ("void (uint8_t *row = image + stride, ptrdiff_t stride = 64, int w) "
                     "for inout uint8_t image[3 * stride]")
        rows = self.call("smooth,smooth_half,smooth_wide", prototype, "--sizes=40",
                         "--reference=smooth", status=4)
        self.assertIn(rows["smooth"]["status"], ("ok", "suspect", "short"), rows["smooth"])
        self.assertRegex(rows["smooth_half"]["reason"], r"\d+ of 192 checked are wrong")
        self.assertIn("writes before the beginning of image", rows["smooth_wide"]["reason"])

    def test_inputs(self):
        prototype = "uint32_t (const uint8_t x[n], size_t n)"
        for name in ("x=uniform:0..1", "x=sorted", "x=constant:7", "x=text", "runs",
                     f"x=file:{SOURCE}", f"x=file:{os.path.relpath(SOURCE)}"):
            with self.subTest(name=name):
                row = self.call("sum_u8", prototype, "--reference=sum_u8", "--sizes=1000",
                                f"--input={name}")["sum_u8"]
                self.assertIn(row["status"], ("ok", "suspect"), row)
        # A typed name is meant from there; a file of declarations from its own folder.
        kept = self.folder / "kept" / "sum.json"
        kept.parent.mkdir()
        (self.folder / "bytes").write_text("1")
        self.call("sum_u8", prototype, "--reference=sum_u8", "--sizes=9", "--input=x=file:bytes",
                  f"--save={kept}", cwd=self.folder)
        text = kept.read_text(encoding="utf-8")
        self.assertIn(f"file:{os.path.realpath(self.folder)}/bytes", text)
        self.call("sum_u8", prototype, "--reference=sum_u8", "--sizes=9", "--input=x=file:bytes",
                  f"--save={self.folder}/beside.json", cwd=self.folder)
        self.assertIn('"file:./bytes"', (self.folder / "beside.json").read_text("utf-8"))
        # A link keeps its name, and the file may be made later.
        (self.folder / "link").symlink_to(kept)
        for name in "link", "later":
            self.run_tool("call", f"{self.built}:sum_u8", prototype, "--sizes=9", "--dry-run",
                          f"--input=x=file:{name}", f"--save={self.folder}/beside.json",
                          cwd=self.folder)
            self.assertIn(f'"file:./{name}"', (self.folder / "beside.json").read_text("utf-8"))
        kept.write_text(re.sub("file:[^\"]*", "file:bytes", text), encoding="utf-8")
        for status in 4, 0:
            self.run_json("call", kept, "--sizes=9", "--quiet", *SHORT, status=status,
                          cwd=self.folder)
            (kept.parent / "bytes").write_text("1")
        for name in ("x=uniform:1..", "x=none", "y=normal"):
            done = self.run_tool("call", f"{self.built}:sum_u8", prototype,
                                 f"--input={name}", status=2)
            self.assertRegex(done.stderr, "no input|no such argument")

    def test_values(self):
        """Whole ones are exact, and converted as C does."""
        text = ("int (const int64_t x[4] = {9007199254740993, 010, 1.5}, const uint8_t y[3] = "
                "{-1, 260, ',',}, const float z[3] =\n{1.5f,\n-1e10, n}, const uint64_t u[1], "
                "uint64_t seed = 0x9e3779b97f4a7c15, const uint8_t none[2] = {}) for n")
        self.right("values_known", text, "--sizes=3", "--input=u=constant:0x9e3779b97f4a7c15")

    def trail(self, function, prototype, *options, sets=3):
        """40 values of timed calls, from where they repeat longest, and the row."""
        path = self.folder / f"{function}{len(options)}"
        row = self.call(function, prototype, f"--reference={function}", "--sizes=16", *options,
                        env=environment(TRAIL=str(path)))[function]
        values = [int(line) for line in path.read_text(encoding="ascii").split()]
        # So many values from here on are each that of three calls later.
        alike = [0] * len(values)
        for at in reversed(range(len(values) - sets)):
            alike[at] = alike[at + 1] + 1 if values[at] == values[at + sets] else 0
        longest = max(range(len(values) - 40), key=lambda at:
                      alike[at] * (len(set(values[at:at + sets])) == sets))
        return values[longest:longest + 40], row

    def test_sets_of_inputs(self):
        """Calls take them in turn."""
        read = "void (const int32_t x[n], int32_t y[n], size_t n)"
        values, row = self.trail("trail", read, "--inputs=3")
        self.assertEqual((len(set(values)), values[:37]), (3, values[3:]))
        self.assertEqual(row["id"], "libmix:trail/i32/lib/trail@16;inputs=3")
        values, row = self.trail("trail_in_place", "void (inout int32_t x[n], size_t n)",
                                 "--inputs=3", "--reset")
        self.assertEqual((len(set(values)), values[:37]), (3, values[3:]))
        self.assertNotIn(0, values)

    def test_sets_that_fit(self):
        text = self.run_tool("call", f"{self.built}:mix_c", MIX, "--sizes=64", "--dry-run",
                             "--inputs=auto").stdout
        self.assertRegex(text, r"mix_c@64;inputs=\d+\n")
        document = self.run_json("relu", "--inputs=5", "--isa=scalar", "--sizes=100",
                                 "--baseline=none", "--quiet", *SHORT)
        self.assertEqual({row["settings"]["inputs"] for row in kernels(document)}, {"5"})
        for options, why in (("--inputs=0", "from 1 to 4096, or auto"),
                             ("--inputs=many", "no whole|not a whole number"),
                             ("--inputs=2 --threads=2", "calls have one set")):
            done = self.run_tool("relu", *options.split(), "--sizes=64", status=2)
            self.assertRegex(done.stderr, why)

    def test_reset(self):
        """Each call finds what the first one found."""
        prototype = "void (inout int32_t x[n], size_t n)"
        for options, status, exit_status in ((["--reset"], ("ok", "suspect"), 0),
                                             ([], ("failed",), 4)):
            row = self.call("once", prototype, "--reference=once", "--sizes=1000",
                            "--input=x=uniform:0..9", *options, status=exit_status)["once"]
            self.assertIn(row["status"], status, row)
