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

    def packed(self):
        """Linkers and C libraries that know no packed pointers leave them out, or fail."""
        flag = "-Wl,-z,pack-relative-relocs"
        try:
            program = self.build("packed", 10, flag)
            subprocess.run([program, "--benchmark_list_tests"], check=True, timeout=60,
                           stdout=subprocess.DEVNULL)
        except subprocess.CalledProcessError:
            return []
        return [[flag]] if b".relr.dyn" in program.read_bytes() else []

    def gate(self, *flags, time_ns=40, status=0, old=()):
        """No place is to blame for 40 ns instead of 10, whatever was seen of a process."""
        document = self.compare(self.build("old", 10, *old), self.build("new", time_ns, *flags),
                                f"--format=table:{self.folder / 'table'}", status=status)
        return self.verdicts(document)

    def seen(self, *flags, time_ns=12, **more):
        """A gate by what was seen of processes, which have too little of the CPU on a machine
        that does other things."""
        verdicts = self.gate(*flags, time_ns=time_ns, status=None, **more)
        if "nobody saw how much" in " ".join((self.folder / "table").read_text().split()):
            self.skipTest("the processes did not run for long enough")
        return verdicts

    def test_code_that_lies_elsewhere(self):
        self.assertEqual(self.gate("-DPAD=40"), {"kinds": "PLACED", "steps": "PLACED"})
        table = (self.folder / "table").read_text()
        self.assertIn("same code: 2 of 2 cases", table)
        self.assertIn("the code is the same, and so are the data of its program; it cannot be "
                      "moved, as built it is slower by 300.00%", " ".join(table.split()))
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
        for flags in (["-s"], ["-Wl,-rpath,/nowhere"], ["-no-pie"], *self.packed()):
            with self.subTest(flags=flags):
                self.assertEqual(self.gate("-DPAD=40", *flags, old=flags, status=1),
                                 {"kinds": "REGRESSED", "steps": "REGRESSED"})

    SPINS = "-DSPINS=40000000"

    def test_time_in_code_that_was_moved(self):
        """A place may have done it: that is no verdict, though nothing is proven."""
        for flags in (*self.packed(), ["-no-pie"], ["-s"]):
            with self.subTest(flags=flags):
                flags = [self.SPINS, *flags]
                self.assertEqual(self.seen("-DPAD=40", "-DSTEPS=4", *flags, old=flags),
                                 {"kinds": "INCONCLUSIVE", "steps": "REGRESSED"})
        self.assertRegex(" ".join((self.folder / "table").read_text().split()),
                         r"as built it is slower by 20.00%, and up to \d+% of its time may be in code "
                         r"that is the same and lies elsewhere: places could give this; --relink=")
        self.assertEqual(self.gate("-DPAD=40", *flags, old=flags, time_ns=8)["kinds"],
                         "INCONCLUSIVE")

    def test_time_in_code_that_was_not_moved(self):
        flags = [self.SPINS, "-s"]
        self.assertEqual(self.seen("-DENTRY=8", *flags, old=flags),
                         {"kinds": "REGRESSED", "steps": "REGRESSED"})

    def spin_library(self, name, *flags):
        """Flags of a program that spins in a library of its own folder."""
        folder = self.folder / name
        folder.mkdir()
        source = self.folder / "spin.c"
        source.write_text('__asm__(".skip " PAD);\nint spin(int sum, int n)\n{\n'
                          "    for (int i = 0; i < n; i++)\n        sum = sum * STEP + i;\n"
                          "    return sum;\n}\n")
        subprocess.run(["cc", "-O1", "-fPIC", "-shared", '-DPAD="16"', "-DSTEP=5", *flags, source,
                        "-o", folder / "libspin.so"], check=True, timeout=60)
        return [self.SPINS, "-DSPIN=spin", f"-L{folder}", "-Wl,--no-as-needed", "-lspin",
                f"-Wl,-rpath,{folder.resolve()}"]

    def test_time_in_libraries(self):
        """Each build has its own: one that changed, one that lies elsewhere, one that stays."""
        old = self.spin_library("of-old")
        for name, flags, verdict in (("changed", ["-DSTEP=9"], "REGRESSED"),
                                     ("moved", ['-DPAD="56"'], "INCONCLUSIVE"),
                                     ("same", [], "REGRESSED")):
            with self.subTest(library=name):
                new = self.spin_library(name, *[f"-U{f[2:].split('=')[0]}" for f in flags], *flags)
                self.assertEqual(self.seen("-DPAD=40", *new, old=old),
                                 {"kinds": verdict, "steps": verdict})

    def test_change_that_no_place_gives(self):
        flags = [self.SPINS, "-s"]
        self.assertEqual(self.gate("-DPAD=40", *flags, old=flags, status=1)["kinds"],
                         "REGRESSED")
