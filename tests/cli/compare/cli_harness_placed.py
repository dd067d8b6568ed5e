# SPDX-License-Identifier: Apache-2.0
"""Two programs of a harness whose times differ, though their code does not."""
import shutil
import subprocess
import unittest

from cli_harness import HarnessCase
from cli_tool import SOURCE


@unittest.skipUnless(shutil.which("cc"), "no compiler")
class Placed(HarnessCase):
    def setUp(self):
        super().setUp()
        self.need_tracing()

    def build(self, name, time_ns, *flags):
        """Answers that it takes so long."""
        path = self.folder / name
        subprocess.run(["cc", "-O1", "-fPIE", "-pie", "-o", path, *flags,
                        SOURCE / "tests/harness/lies_elsewhere.c"], check=True, timeout=60)
        (self.folder / f"{name}.time").write_text(str(time_ns))
        return path

    def gate(self, *flags, time_ns=12, status=0, old=()):
        document = self.compare(self.build("old", 10, *old), self.build("new", time_ns, *flags),
                                f"--format=table:{self.folder / 'table'}", status=status)
        return self.verdicts(document)

    def test_code_that_lies_elsewhere(self):
        self.assertEqual(self.gate("-DPAD=40"), {"kinds": "PLACED", "steps": "PLACED"})
        table = (self.folder / "table").read_text()
        self.assertIn("same code: 2 of 2 cases", table)
        self.assertIn("the code is the same, and so are the data of its program; it cannot be "
                      "moved, as built it is slower by 20.00%", " ".join(table.split()))
        self.assertEqual(self.gate("-DPAD=40", time_ns=8), {"kinds": "SAME", "steps": "SAME"})

    def test_flags_that_change_nothing(self):
        for flags in (["-falign-functions=64"], ["-falign-loops=32"], ["-DPAD=4096"],
                      ["-DPAD=16", "-DHASH=fedcba9876543210"]):
            with self.subTest(flags=flags):
                self.assertEqual(self.gate(*flags), {"kinds": "PLACED", "steps": "PLACED"})

    def test_code_that_one_case_alone_executes(self):
        self.assertEqual(self.gate("-DPAD=40", "-DSTEPS=4", status=1),
                         {"kinds": "PLACED", "steps": "REGRESSED"})

    def test_data_that_one_case_alone_reads(self):
        for flag in "-DENTRY=8", '-DLABEL="sun"', "-DFACTOR=1.25", "-DHOOK=same":
            with self.subTest(flag=flag):
                self.assertEqual(self.gate("-DPAD=40", flag, status=1),
                                 {"kinds": "REGRESSED", "steps": "PLACED"})

    def test_variables_that_change_places(self):
        """Two take the place of one; elsewhere two have each other's places."""
        self.assertEqual(self.gate("-DPAD=40", "-DRESULT=other", status=1),
                         {"kinds": "REGRESSED", "steps": "PLACED"})
        self.assertEqual(self.gate("-DPAD=40", old=["-DFIRST=other", "-DRESULT=other"]),
                         {"kinds": "PLACED", "steps": "PLACED"})

    def test_what_data_lead_to(self):
        """Strings of a table of distances, and a string that shares its end with another one."""
        for flag, steps in ('-DDISTANT="tow"', "PLACED"), ('-DPART="costs"', "REGRESSED"):
            with self.subTest(flag=flag):
                self.assertEqual(self.gate("-DPAD=40", flag, status=1),
                                 {"kinds": "REGRESSED", "steps": steps})

    def test_data_that_libraries_read(self):
        """Whoever may read them is not known."""
        self.assertEqual(self.gate("-rdynamic", "-DOPTION=2", old=["-rdynamic"], status=1),
                         {"kinds": "REGRESSED", "steps": "REGRESSED"})

    def test_names_of_sources(self):
        """Each build has its own folder in them."""
        for name, time_ns in ("old", 10), ("newer", 12):
            folder = self.folder.resolve() / name
            folder.mkdir()
            shutil.copy(SOURCE / "tests/harness/lies_elsewhere.c", folder)
            subprocess.run(["cc", "-O1", "-fPIE", "-pie", "-o", folder / "bench",
                            folder / "lies_elsewhere.c"], check=True, timeout=60)
            (folder / "bench.time").write_text(str(time_ns))
        document = self.compare("./bench", "./bench", f"--cwd-old={self.folder}/old",
                                f"--cwd-new={self.folder}/newer")
        self.assertEqual(self.verdicts(document), {"kinds": "PLACED", "steps": "PLACED"})

    def test_what_is_not_known(self):
        """A file without symbols, and libraries that are looked for in a folder of the build."""
        for flags in (["-s"], ["-Wl,-rpath,/nowhere"], ["-no-pie"],
                      ["-Wl,-z,pack-relative-relocs"]):
            with self.subTest(flags=flags):
                self.assertEqual(self.gate("-DPAD=40", *flags, old=flags, status=1),
                                 {"kinds": "REGRESSED", "steps": "REGRESSED"})

    SPINS = "-DSPINS=40000000"

    def test_time_in_code_that_was_moved(self):
        """What a place may have done is no verdict, though nothing is proven."""
        for flags in (["-s"], ["-no-pie"], ["-Wl,-z,pack-relative-relocs"]):
            with self.subTest(flags=flags):
                flags = [self.SPINS, *flags]
                self.assertEqual(self.gate("-DPAD=40", "-DSTEPS=4", *flags, old=flags, status=1),
                                 {"kinds": "INCONCLUSIVE", "steps": "REGRESSED"})
        self.assertRegex(" ".join((self.folder / "table").read_text().split()),
                         r"as built it is slower by 20.00%, and (9\d|100)% of its time are in code "
                         r"that is the same and lies elsewhere: places could give this; --relink=")
        self.assertEqual(self.gate("-DPAD=40", *flags, old=flags, time_ns=8)["kinds"],
                         "INCONCLUSIVE")

    def test_time_in_code_that_was_not_moved(self):
        flags = [self.SPINS, "-s"]
        self.assertEqual(self.gate("-DENTRY=8", *flags, old=flags, status=1),
                         {"kinds": "REGRESSED", "steps": "REGRESSED"})

    def test_change_that_no_place_gives(self):
        flags = [self.SPINS, "-s"]
        self.assertEqual(self.gate("-DPAD=40", *flags, old=flags, time_ns=35, status=1)["kinds"],
                         "REGRESSED")
