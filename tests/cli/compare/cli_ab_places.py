# SPDX-License-Identifier: Apache-2.0
"""`simdbench ab`: builds of the same code at other places."""
import json
import unittest

from cli_ab import INCLUDES, AbCase
from cli_tool import SOURCE, compile_library, sanitized


@unittest.skipIf(sanitized(), "sanitizers keep code from being copied")
class Places(AbCase):
    """Code is compared and copied for real; times are made up."""

    def build(self, name, *flags):
        return compile_library(self.folder, f"{name}.so", *INCLUDES, *flags, "-Wl,--build-id",
                               SOURCE / "tests/modules/placed.c")

    def compare(self, base, head, *more):
        document = self.ab(base, head, "twice", "--filter=*/bad@*", *more)
        placement = self.by_variant(document)["bad"]["comparison"]["placement"]
        if placement and placement["unmoved"] and "trace" in placement["unmoved"]:
            self.skipTest(placement["unmoved"])
        return document, placement

    def test_padding_alone(self):
        base, head = self.build("base"), self.build("head", "-DPAD=40")
        document, placement = self.compare(base, head)
        self.assertIsNone(placement["unmoved"])
        self.assertEqual((placement["code"], placement["where"]), ("same", None))
        self.assertEqual(placement["base_loop"], placement["head_loop"])
        self.assertEqual((placement["head_offset"] - placement["base_offset"]) % 64, 40)
        trials = self.by_variant(document)["bad"]["comparison"]["trials"]
        self.assertEqual(len(trials["built_base_ns"]), len(trials["base_ns"]))
        self.assertIn("1 of 2 kernels", document["gate"]["left_out"])

    def test_another_instruction(self):
        base, head = self.build("base"), self.build("head", "-DPAD=40", "-DMORE=3")
        _, placement = self.compare(base, head)
        self.assertEqual((placement["code"], placement["instructions"]), ("nearly", 1))
        self.assertRegex(placement["where"], r"\+0x")

    def total_placement(self, name, *inputs):
        """`ab` compares function total of base.so and of NAME.so."""
        (self.folder / "sum.json").write_text(json.dumps({"functions": 1, "ops": [{
            "name": "sum", "prototype": "u32 total(const u8 s[n], size_t n)",
            "kernels": {"scalar": "total"}, "sizes": "100"}]}))
        document = self.ab("./base.so", f"./{name}.so", "--functions=sum.json", *inputs,
                           cwd=self.folder)
        return self.by_variant(document)["total"]["comparison"]["placement"]

    def test_declared_function(self):
        """The code of the call is made anew in each process. Other inputs may call NONE."""
        source = self.folder / "sum.c"
        source.write_text("""
            __asm__(".text; .skip PAD, 0x90");
            static volatile unsigned zero;
            static __attribute__((noinline, noipa)) unsigned NONE(void) { return zero; }
            unsigned total(const unsigned char *s, unsigned long n)
            {
                unsigned sum = n ? 0 : NONE();
                while (n--)
                    sum = sum * 5 + *s++ + MORE;
                return sum;
            }
            """)
        (self.folder / ".git").mkdir()
        submodule = self.folder / "part"
        submodule.mkdir()
        (submodule / ".git").write_text("gitdir: ../.git/modules/part\n")
        for name, pad, more in ("base", 1, "zero"), ("head", 41, "zero"), ("other", 41, "zero + zero"):
            text = source.read_text().replace("PAD", str(pad)).replace("MORE", more).replace("NONE", name)
            (submodule / f"{name}.c").write_text(text)
            compile_library(self.folder, f"{name}.so", "-O1", "-g", f"{name}.c", cwd=submodule)
        for name, code, *inputs in (("head", "same"), ("head", "nearly", "--inputs=3"),
                                    ("other", "nearly")):
            placement = self.total_placement(name, *inputs)
            self.assertEqual((placement["unmoved"], placement["code"]), (None, code))
            if placement["source"]:  # debug information is read
                self.assertRegex(placement["source"], rf"^part/{name}\.c:\d+$")
        # A worktree of a repository that lies in a folder of that name is no submodule.
        (submodule / ".git").write_text("gitdir: /srv/modules/lib/.git/worktrees/part\n")
        placement = self.total_placement("head")
        if placement["source"]:
            self.assertRegex(placement["source"], r"^head\.c:\d+$")

    def test_threads(self):
        """Nothing can be moved; the code is found by what it names. Data differ to which a
        pointer leads."""
        source = """
            #include <pthread.h>
            #include <unistd.h>
            __asm__(".text; .skip PAD, 0x90");
            static volatile unsigned once;
            static const unsigned deep[2] = {1, MORE};
            static const unsigned *volatile more = deep + 1;
            static void *wait(void *end) { for (;;) pause(); }
            unsigned total(const unsigned char *s, unsigned long n)
            {
                pthread_t thread;
                unsigned sum = 0;
                if (!once)
                    pthread_create(&thread, 0, wait, 0);
                once = 1;
                while (n--)
                    sum = sum * 5 + *s++;
                return sum + (*more & 1);
            }
            """
        for name, pad, more in ("base", 1, 1), ("head", 41, 1), ("other", 41, 3):
            compile_library(self.folder, f"{name}.so", "-O1", "-x", "c", "-",
                            input=source.replace("PAD", str(pad)).replace("MORE", str(more)))
        for name, same_data in ("head", True), ("other", False):
            placement = self.total_placement(name)
            self.assertIn("several threads", placement["unmoved"])
            self.assertEqual((placement["code"], placement["same_data"]), ("same", same_data))

    def totals(self, source, *options, **values):
        """Builds base.so and head.so of it, with VALUE as each says."""
        for pad, (name, value) in enumerate(values.items()):
            compile_library(self.folder, f"{name}.so", "-O1", *options, "-x", "c", "-",
                            input=source.replace("PAD", str(1 + 40 * pad)).replace("VALUE", str(value)))
        return self.total_placement("head")

    def test_constants_in_code(self):
        """Assemblers may put a table beside the code that takes its address."""
        source = """
            __asm__(".text; .skip PAD, 0x90; .p2align 4; table: .long VALUE, 1, 2, 3");
            unsigned total(const unsigned char *s, unsigned long n)
            {
                const unsigned *table;
                unsigned sum = 0;
                __asm__("lea table(%%rip), %0" : "=r"(table));
                while (n--)
                    sum = sum * 5 + *s++;
                return sum + (table[0] & 1);
            }
            """
        for value, code in (1, "same"), (3, "nearly"):
            self.assertEqual(self.totals(source, base=1, head=value)["code"], code)

    def test_numbers_like_distances(self):
        """They lead to code, as those of a jump table do, but belong to a variable."""
        source = """
            __asm__(".text; .skip PAD + 2000, 0x90");
            static const int deep[4] = {-2900, -2900, -2900, VALUE};
            static const int *volatile more = deep;
            unsigned total(const unsigned char *s, unsigned long n)
            {
                unsigned sum = 0;
                while (n--)
                    sum = sum * 5 + *s++;
                return sum + (*more & 1);
            }
            """
        for options in (), ("-s",):
            for value, same_data in (-2800, True), (-2900, False):
                placement = self.totals(source, *options, base=-2800, head=value)
                self.assertEqual((placement["code"], placement["same_data"]), ("same", same_data))

    def test_calls_that_differ(self):
        """Every other call takes another way, of which the traced one tells nothing."""
        source = """
            __asm__(".text; .skip PAD, 0x90");
            static volatile unsigned odd = FIRST;
            static __attribute__((noinline, noipa)) unsigned other(unsigned sum)
            {
                return odd > VALUE ? 0 : sum;
            }
            unsigned total(const unsigned char *s, unsigned long n)
            {
                unsigned sum = 0;
                while (n--)
                    sum = sum * 5 + *s++;
                return (odd ^= 1) ? other(sum) : sum;
            }
            """
        for first in "0", "1":
            placement = self.totals(source.replace("FIRST", first), base=1, head=2)
            self.assertFalse(placement["same_data"])

    def test_short_functions(self):
        """A jump has room where a linker fills the space between sections with zeros."""
        source = """
            #define SHORT(name, more) __asm__(".text; .p2align 4; .type " #name ", @function; " \\
                #name ": lea " #more "(%rdi), %eax; ret; .size " #name ", . - " #name "; .zero 12")
            __asm__(".text; .skip PAD, 0x90");
            SHORT(first, 5);
            SHORT(second, 7);
            __asm__(".p2align 4, 0");
            typedef unsigned step(unsigned);
            extern __attribute__((visibility("hidden"))) step first, second;
            static step *volatile steps[] = {first, second};
            unsigned total(const unsigned char *s, unsigned long n)
            {
                unsigned sum = 0;
                while (n--)
                    sum = steps[*s++ & 1](sum);
                return sum;
            }
            """
        self.assertIsNone(self.totals(source, base=1, head=1)["unmoved"])

    def test_same_bytes(self):
        """What constructors write is not known, but equal bytes write the same."""
        source = """
            __asm__(".text; .skip PAD, 0x90");
            static unsigned *more;
            __attribute__((constructor)) static void begin(void)
            {
                static unsigned value;
                extern void *malloc(unsigned long);
                more = malloc(sizeof *more);
                *more = value;
            }
            unsigned total(const unsigned char *s, unsigned long n)
            {
                unsigned sum = 0;
                while (n--)
                    sum = sum * 5 + *s++;
                return sum + *more;
            }
            """
        for name, pad in ("base", 1), ("other", 41):
            compile_library(self.folder, f"{name}.so", "-O1", "-x", "c", "-",
                            input=source.replace("PAD", str(pad)))
        (self.folder / "head.so").write_bytes((self.folder / "base.so").read_bytes() + b"debug")
        for name, same_data in ("head", True), ("other", False):
            placement = self.total_placement(name)
            self.assertEqual((placement["code"], placement["same_data"]), ("same", same_data))

    def test_as_built(self):
        base, head = self.build("base"), self.build("head", "-DPAD=40")
        document, placement = self.compare(base, head, "--as-built")
        self.assertIsNone(placement)
        self.assertNotIn("built_base_ns",
                         self.by_variant(document)["bad"]["comparison"]["trials"])
