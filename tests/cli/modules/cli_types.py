# SPDX-License-Identifier: Apache-2.0
"""Element types and instruction sets of plug-ins."""
import re

from cli_tool import MODULES, SHORT, Case, kernels

EVERY = ("every", f"--plugin={MODULES / 'every_type.so'}", "--baseline=none", "--sizes=100", *SHORT)
TYPES = ("f32", "u8", "i8", "u16", "i16", "u32", "u64", "f16", "bf16", "bytes18")
SCALAR = "--filter=*/scalar/*"


class Types(Case):
    def test_right_and_wrong(self):
        """All types are checked to the last bit, and have a limit by their bytes."""
        rows = kernels(self.run_json(*EVERY, "--type=all", "--isa=scalar", SCALAR, status=4))
        status = {row["id"]: row["status"] for row in rows}
        self.assertEqual({f"every_type:every/{kind}/scalar/{name}@100": right for kind in TYPES
                          for name, right in (("copy", "ok"), ("last", "wrong"))}, status)
        for row in rows:
            if row["status"] == "ok":
                self.assertTrue(row["limit"], row)
        block, = (row for row in rows if row["id"].endswith("bytes18/scalar/last@100"))
        self.assertRegex(block["reason"], r"output\[99\], byte 17, is 0x\w\w, should be 0x\w\w")

    def test_inputs(self):
        """Those of all ops; a file is read by the worker."""
        text = self.folder / "text"
        text.write_bytes(b"{} " * 5)
        for kind, good in (("u8", ["uniform:0..9", "normal", "sorted", "runs", "indices:0..9", f"file:{text}"]),
                           ("f16", ["uniform:0..9", "special", "sorted", f"file:{text}"]),
                           ("bytes18", ["sorted", "runs", f"file:{text}"])):
            rows = kernels(self.run_json(*EVERY, f"--type={kind}", "--isa=scalar", "--filter=*/scalar/copy@*",
                                         f"--input={','.join(good)}"))
            self.assertEqual([row["status"] for row in rows], ["ok"] * len(good), rows)
            self.assertEqual([row["id"].partition(";input=")[2] for row in rows], good)
        for name, said, status in (
                ("file:/no/such", "No such file", 4), ("file:/", "empty or no regular", 4),
                ("indices:0..9", "has no such input (known: normal, uniform:LO..HI, ", 2)):
            done = self.run_tool(*EVERY, "--type=f16", "--isa=scalar", f"--input={name}", status=status)
            self.assertIn(said, done.stdout + done.stderr)

    def test_texts(self):
        done = self.run_tool(*EVERY, "--type=u9", status=2)
        self.assertIn("--type=u9", done.stderr)
        self.assertIn("bytes18", done.stderr)
        done = self.run_tool("list", "kernels", EVERY[1], "every_type*")
        for kind in TYPES:
            self.assertIn(f"every/{kind}/scalar/copy", done.stdout)

    def additions(self):
        """Those of `list isas`, with whether they are here."""
        text = self.run_tool("list", "isas").stdout
        return {name: rest.endswith("runs here")
                for name, rest in re.findall(r"^  \+(\w+) +(.*)$", text, re.M)}

    def test_additions(self):
        here = self.additions()
        bundles = self.run_tool("list", "isas").stdout
        rows = [row for row in kernels(self.run_json(*EVERY, "--type=u8", "--isa=all", "--filter=*/copy@*"))
                if "+" in row["isa"]]
        self.assertGreater(len(rows), 2)
        for row in rows:
            bundle, *added = row["isa"].split("+")
            runs = (re.search(rf"^  {bundle} .*runs here", bundles, re.M) is not None
                    and all(here[name] for name in added))
            self.assertEqual(row["status"], "ok" if runs else "skipped", row)
            if not runs:
                self.assertIn("lacks", row["reason"])

    def test_asked(self):
        """A bundle takes its rows with additions, a full name those rows alone."""
        def ids(isa):
            text = self.run_tool(*EVERY, "--type=u8", f"--isa={isa}", "--dry-run").stdout
            return sorted(set(re.findall(r"every/u8/(\S+)/copy@", text)))
        full = [name for name in ids("all") if name.startswith("scalar+")]
        self.assertEqual(ids("scalar"), ["scalar", *full])
        self.assertEqual(ids(full[0]), full)

    def test_unknown(self):
        for asked, said in (("scalar+popcmt", "there is no addition 'popcmt'"),
                            ("scalr+popcnt", "there is no instruction set 'scalr'; did you mean scalar"),
                            ("scalar+", "there is no addition ''")):
            done = self.run_tool(*EVERY, f"--isa={asked}", status=2)
            self.assertIn(said, done.stderr)

    def test_doctor(self):
        text = self.run_tool("doctor").stdout
        line = re.search(r"ISA additions +(.*)", text)[1]
        for name, here in self.additions().items():
            self.assertEqual(here, re.search(rf"\b{name}\b", text) is not None, (name, line))

    def test_reset(self):
        """Each timed call of a kernel in place finds its inputs, if it asks for that."""
        plugin = f"--plugin={MODULES / 'lengths.so'}"
        rows = kernels(self.run_json("refill", plugin, "--baseline=none", "--sizes=100", *SHORT, status=4))
        self.assertEqual({row["variant"]: row["status"] for row in rows}, {"refill": "ok", "keeps": "failed"})

    def test_length(self):
        """What a call says is long is compared, and that number is, too."""
        for check in ("--sizes=100", "--sizes=100000"):
            rows = {row["variant"]: row for row in kernels(self.run_json(
                "pack", f"--plugin={MODULES / 'lengths.so'}", "--baseline=none", check, *SHORT, status=4))}
            self.assertEqual({name: row["status"] for name, row in rows.items()},
                             {"rest": "ok", "short": "wrong", "late": "wrong"}, rows)
            self.assertRegex(rows["short"]["reason"], r"the length is \d+, should be \d+")
            self.assertRegex(rows["late"]["reason"], r"1 of \d+ checked are wrong: output\[\d+\]")
