# SPDX-License-Identifier: Apache-2.0
"""`simdbench ab`: two builds against each other, in times that are made up."""
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from cli_tool import (BINARY, MODULES, PATIENCE, SOURCE, Case, compile_library, environment,
                      kernels, sanitized)

INCLUDES = f"-I{SOURCE / 'kernels'}", f"-I{SOURCE / 'tests/modules'}"

# Few processes, one round in each: enough for an interval.
QUICK = ["--processes=8", "--rounds=1", "--threshold=50%", "--quiet"]


def module(name):
    return f"{MODULES / name}.so"


class AbCase(Case):
    def ab(self, base, head, *more, status=0, **options):
        return self.run_json("ab", base, head, *more, *QUICK, status=status, **options)

    def by_variant(self, document):
        self.assertTrue(all(r["module"] is None for r in document["results"]))
        return {r["variant"]: r for r in document["results"] if r["role"] == "kernel"}


class Builds(AbCase):
    def test_copies_do_not_regress(self):
        document = self.ab(module("pace"), module("pace_again"), "twice")
        results = self.by_variant(document)
        self.assertEqual(set(results), {"good", "bad"})
        for result in results.values():
            self.assertEqual(result["comparison"]["verdict"], "SAME")
        gate = document["gate"]
        self.assertEqual((gate["kind"], gate["own_processes"]), ("paired", False))
        self.assertEqual([a["name"] for a in gate["arms"]], ["base", "head", "control"])

    @unittest.skipIf(sanitized(), "takes a minute with sanitizers")
    def test_all_ops_of_a_build(self):
        # Half as fast as the limits.
        slow = environment(SIMDBENCH_TEST_CLOCK="1,three_passes=2")
        document = self.ab(module("softmax"), module("softmax"), "--sizes=16x64", env=slow)
        kernels = [r for r in document["results"] if r["role"] == "kernel"]
        self.assertEqual({r["op"] for r in kernels}, {"own_softmax"})
        shares = [r["limit"]["share"] for r in kernels if r["limit"]["share"]]
        self.assertTrue(all(0 < share < 1 for share in shares), kernels)

    def test_same_file_with_other_options(self):
        base = module("softmax")
        document = self.ab(f"{base},trace=0", f"{base},trace=1", "own_softmax",
                           "--sizes=4x100")
        self.assertTrue(document["gate"]["own_processes"])

    def test_libraries_of_one_name(self):
        """Loaded together, the second one would silently be the first."""
        for build, factor in (("old", 1), ("new", 2)):
            folder = self.folder / build
            folder.mkdir()
            (folder / "kernel.c").write_text(
                '#include "twice.h"\nint get_factor(void);\n'
                "static void run(const struct simdbench_operands *o, void *s)\n"
                "{ if (get_factor()) twice_run(o, s); }\n"
                'MODULE("dep", run)\n')
            dep = compile_library(
                folder, "libdep.so", "-Wl,--build-id=0x17,-soname,libdep.so", "-x", "c", "-",
                input=f"int factor = {factor}; int get_factor(void) {{ return factor; }}")
            compile_library(folder, "kernel.so", *INCLUDES, "-Wl,--build-id=0x17,-rpath,$ORIGIN",
                            folder / "kernel.c", dep)
        old, new = self.folder / "old/kernel.so", self.folder / "new/kernel.so"
        document = self.ab(old, new, "twice")
        self.assertTrue(document["gate"]["own_processes"])
        self.assertEqual({r["status"] for r in document["results"]}, {"ok"})
        for arm in document["gate"]["arms"]:
            self.assertTrue(any("libdep.so" in o for o in arm["objects"]), arm)
        shutil.copy(self.folder / "old/libdep.so", self.folder / "new/libdep.so")
        document = self.ab(old, new, "twice")
        self.assertFalse(document["gate"]["own_processes"])

    def check_own(self, source, *flags, second=False):
        """`ab` of old/kernel.so and new/kernel.so, of which each doubles with its own FACTOR alone."""
        for build, factor in ("old", 3), ("new", 5):
            folder = self.folder / build
            folder.mkdir(exist_ok=True)
            if second:
                compile_library(folder, "libsecond.so", "-x", "c", "-",
                                input=f"int get_factor(void) {{ return {factor}; }}")
            (folder / "kernel.c").write_text(
                f'#define _GNU_SOURCE\n#include "twice.h"\n#include <dlfcn.h>\n{source}\n'
                "static void run(const struct simdbench_operands *o, void *s)\n"
                "{ if (get_factor() == FACTOR) twice_run(o, s); }\n"
                'MODULE("own", run)\n')
            compile_library(folder, "kernel.so", *INCLUDES, *flags, f"-DFACTOR={factor}",
                            folder / "kernel.c")
        document = self.ab(self.folder / "old/kernel.so", self.folder / "new/kernel.so", "twice")
        self.assertTrue(document["gate"]["own_processes"])
        self.assertEqual({r["status"] for r in document["results"]}, {"ok"})

    def test_further_outputs_in_own_processes(self):
        """Base says what is right, also of what is returned beside an array."""
        old, new, same = (compile_library(
            self.folder, f"{name}.so", f"-DADDED={added}", "-x", "c", "-", input="""
            #include <dlfcn.h>
            int copy(int to[], const int from[], int n)
            {
                if (n < 0)
                    return dlopen("libnone.so", RTLD_NOW) != 0;
                for (int i = 0; i < n; i++)
                    to[i] = from[i];
                return n + ADDED;
            }""") for name, added in (("old", 0), ("new", 1), ("same", 0)))
        for head, status in (new, "wrong"), (same, "ok"):
            document = self.ab(f"{old}:copy", head, "int (int to[n], const int from[n], int n)",
                               "--sizes=64", status=4 if head == new else 0)
            row, = kernels(document)
            self.assertTrue(document["gate"]["own_processes"])
            self.assertEqual(row["status"], status, row)
            self.assertRegex(row["reason"] or "", "^head: returned value: " if head == new else "^$")

    def test_unique_variables(self):
        """A process has one variable of that name, as C++ asks for."""
        self.check_own("""
            #define TEXT_(x) #x
            #define TEXT(x) TEXT_(x)
            __asm__(".pushsection .data; .globl factor; .type factor, %gnu_unique_object;"
                    ".size factor, 4; factor: .long " TEXT(FACTOR) "; .popsection");
            extern int factor;
            static int get_factor(void) { return factor; }
            """)

    def test_libraries_that_are_opened_later(self):
        """One by its name, and one in the folder of the file, which a copy has to find too."""
        source = """
            static int get_factor(void)
            {
                char path[4096] = NAME;
                Dl_info info;
                if (!*path && dladdr(&twice_op, &info)) {
                    snprintf(path, sizeof path, "%s", info.dli_fname);
                    strcpy(strrchr(path, '/'), "/libsecond.so");
                }
                void *const handle = dlopen(path, RTLD_NOW);
                int (*const get)(void) = handle ? dlsym(handle, "get_factor") : NULL;
                return get ? get() : 0;
            }
            """
        for name, *flags in ('"libsecond.so"', "-Wl,-rpath,$ORIGIN"), ('""',):
            if flags and sanitized():
                continue  # AddressSanitizer calls dlopen(3) itself, and that reads the RUNPATH of its caller
            with self.subTest(name=name):
                self.check_own("#include <string.h>" + source, f"-DNAME={name}", *flags, second=True)

    def test_second_outputs(self):
        """Base is right, whichever build a process has loaded first."""
        for name, more in ("base", 0), ("head", 1):
            compile_library(self.folder, f"{name}.so", "-x", "c", "-", input=f"""
                unsigned copy(unsigned char *to, const unsigned char *from, unsigned long n)
                {{ for (unsigned long i = 0; i < n; i++) to[i] = from[i]; return n + {more}; }}""")
        (self.folder / "copy.json").write_text(json.dumps({"functions": 1, "ops": [{
            "name": "copy", "prototype": "u32 copy(u8 to[n], const u8 from[n], size_t n)",
            "kernels": {"scalar": "copy"}, "sizes": "100"}]}))
        for seed in range(1, 6):
            document = self.ab("./base.so", "./head.so", "--functions=copy.json", f"--seed={seed}",
                               status=4, cwd=self.folder)
            self.assertRegex(self.by_variant(document)["copy"]["reason"], "^head: returned value: 1 of 1")


class FailingBuilds(AbCase):
    def broken(self, base, head, arm, status, reason, *more):
        results = self.by_variant(self.ab(base, head, "twice", *more, status=4))
        self.assertEqual(results["bad"]["status"], status, results["bad"])
        self.assertRegex(results["bad"]["reason"], f"^{arm}: .*{reason}")
        self.assertEqual(results["bad"]["comparison"]["verdict"], "UNUSABLE")
        self.assertEqual(results["good"]["status"], "ok", results["good"])

    def test_crash(self):
        self.broken(module("pace"), module("crash_run"), "head", "failed", "signal")

    def test_wrong_after_the_first_calls(self):
        """Each would be an improvement otherwise."""
        for name in ("lazy_later", "keeps_results"):
            for more in ([], ["--check=full"]):
                with self.subTest(name=name, more=more):
                    self.broken(module("pace"), module(name), "head", "wrong",
                                r"right at first, wrong after \d+ batch", *more)

    def test_faster_than_its_limit(self):
        fast = environment(SIMDBENCH_TEST_CLOCK="1,bad=0.1")
        document = self.ab(module("boasts"), module("boasts"), "twice", env=fast)
        results = self.by_variant(document)
        bad = results["bad"]
        self.assertEqual((bad["status"], bad["comparison"]["verdict"]),
                         ("suspect", "UNUSABLE"), bad)
        self.assertRegex(bad["reason"], r"of its limit \(roof/f32/scalar/add_max@registers")
        self.assertGreater(bad["limit"]["share"], 2)
        self.assertEqual(results["good"]["status"], "ok", results["good"])
        self.assertIsNone((results["good"]["limit"] or {}).get("share"))

    def test_scribble(self):
        self.broken(module("writes_input"), module("pace"), "base", "wrong", "input")


def is_unlocked(folder):
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(number)
    return True


class Programs(AbCase):
    def test_two_programs(self):
        document = self.ab(BINARY, BINARY, "relu", "--sizes=8", "--isa=scalar",
                           "--variants=max")
        gate = document["gate"]
        self.assertTrue(gate["own_processes"])
        self.assertEqual(document["settings"]["isa_fallback"], "off")
        self.assertTrue(document["results"])
        self.assertTrue(all(re.match(r"\d+\.", a["version"]) for a in gate["arms"]), gate)

    def test_signal_leaves_a_file_and_nothing_else(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            temporary, path = self.new_folder(), self.folder / f"{number}.json"
            # Long enough to be interrupted on any machine.
            tool = subprocess.Popen(
                [BINARY, "ab", module("pace"), module("pace"), "twice", "--quiet",
                 "--processes=1000", "--rounds=1000", f"--json={path}"],
                env=environment(TMPDIR=str(temporary)), stdout=subprocess.DEVNULL)
            self.wait_for(lambda: list(temporary.glob("*/control")), tool)
            self.wait_for_workers(tool)
            tool.send_signal(number)
            self.assertEqual(tool.wait(PATIENCE), 128 + number)
            if path.exists():
                self.assertTrue(self.load(path)["interrupted"])
            self.assertEqual(os.listdir(temporary), [])
            # A killed process takes a while to die.
            self.wait_for(lambda: subprocess.run(
                ["pgrep", "-f", f"worker --parent={tool.pid}"], capture_output=True,
                check=False).returncode == 1)

    def test_copies_of_a_killed_one(self):
        """The next one removes them."""
        temporary, good = self.new_folder(), module("pace")
        env = environment(TMPDIR=str(temporary))
        tool = subprocess.Popen(
            [BINARY, "ab", good, good, "twice", "--quiet", "--processes=1000"], env=env,
            stdout=subprocess.DEVNULL)
        self.wait_for(lambda: list(temporary.glob("*/control")), tool)
        tool.kill()
        self.assertEqual(tool.wait(PATIENCE), -signal.SIGKILL)
        (left,) = temporary.iterdir()
        # A worker that it had just started has the lock, too, until it dies.
        self.wait_for(lambda: is_unlocked(left))
        self.ab(good, good, "twice", env=env)
        self.assertEqual(os.listdir(temporary), [])

    def test_reader_left(self):
        """All formats, where nobody reads what is printed: status 141, and the file is there."""
        for form in ("table", "json"):
            path, (reader, writer) = self.folder / f"{form}.json", os.pipe()
            os.close(reader)
            done = subprocess.run(
                [BINARY, "ab", module("pace"), module("pace"), "twice", *QUICK,
                 f"--format={form}", f"--json={path}"], stdout=writer, text=True,
                stderr=subprocess.PIPE, env=environment(), timeout=PATIENCE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))
            self.assertEqual(len(self.load(path)["results"]), 2)


class BuildUsage(AbCase):
    def refuse(self, *arguments, says, **more):
        done = self.run_tool("ab", *arguments, status=2, **more)
        self.assertRegex(done.stderr, says)
        self.assertEqual(done.stdout, "")

    def test_words(self):
        good = module("pace")
        self.refuse(says="two builds")
        self.refuse(good, says="two builds")
        self.refuse(good, good, "twice", "gemm", says="gemm")
        self.refuse(good, good, "twcie", says=r"twcie: no such op in BASE or HEAD; "
                    r"did you mean twice\? \(known: twice\)$")

    def test_files(self):
        good = module("pace")
        self.refuse(good, "no/such.so", says="HEAD=no/such.so: .*No such file")
        self.refuse("nosuch", good, says="BASE=nosuch: there is no module")
        self.refuse(SOURCE / "README.md", good, says="BASE=.*README.md: neither a module")
        self.refuse(good, BINARY, says="one is a module and one a program")
        self.refuse("/bin/true", BINARY, says="BASE=/bin/true: no simdbench executable")
        self.refuse("/bin/ls", "/bin/ls", says=r"\Asimdbench: BASE=/bin/ls: no simdbench")
        shutil.copy("/bin/true", self.folder / "bench")
        self.refuse("bench", "bench", cwd=self.folder, says=r"this folder are written with \./")
        self.refuse(good, module("no_entry"), says="HEAD=.*simdbench_module")
        self.refuse(good, module("newer_abi"), says="HEAD=.*ABI 3")
        self.refuse(module("crash_load"), good, says="BASE=.*signal 6")

    def test_folder_of_copies(self):
        good = module("pace")
        self.refuse(good, good, env=environment(TMPDIR="no/such"),
                    says=r"cannot make a folder in no/such \(TMPDIR\)")
        mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c",
                   'mount -t tmpfs -o noexec none "$TMPDIR" && exec "$@"', "sh"]
        env = environment(TMPDIR=str(self.folder))
        if subprocess.run([*mounted, "true"], env=env, capture_output=True).returncode:
            self.skipTest("no file system can be mounted here")
        self.refuse(good, good, env=env, before=mounted, says="TMPDIR.* is mounted noexec")

    def test_options(self):
        good = module("pace")
        self.refuse(f"{good},x=1", good, says="BASE=.*takes no options")
        self.refuse(good, f"{good},x", says="HEAD=.*no option=value")
        self.refuse(f"{BINARY},x=1", BINARY, says="options are for modules")
        self.refuse(good, good, "--processes=7", says="--processes=7: must be from 8")
        self.refuse(good, good, "--threshold=2x", says="--threshold=2x")
        self.refuse(good, good, "--baseline=none", says="--baseline is no option of ab")
