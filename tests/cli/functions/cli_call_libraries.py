# SPDX-License-Identifier: Apache-2.0
"""`simdbench call`: the library that a function comes from, and how it is found and loaded."""
import ctypes.util
import os
import re
import subprocess
import unittest

from cli_call import MIX, SOURCE, CallCase
from cli_tool import SHORT, compile_library, environment, kernels, sanitized


class CallLibraries(CallCase):
    def test_near_match(self):
        done = self.run_tool("call", f"{self.built}:mix_avx", MIX, status=2)
        self.assertIn("mix_avx2", done.stderr)
        done = self.run_tool("call", "./nothing.so:mix", MIX, status=2, cwd=self.folder)
        self.assertIn("nothing.so", done.stderr)

    def test_library_that_lacks_another(self):
        """It says what is missing and what to type; no name of a file that nobody typed."""
        for name, words in (("libother.so", []), ("libneeds.so", ["-L.", "-lother"]),
                            ("libasks.so", []), ("libplace.so", ["-x", "none", "./libother.so"])):
            function = "int other(int x) { return x; }" if name == "libother.so" else \
                "int other(int); int ask(int x) { return other(x); }"
            subprocess.run(["cc", "-shared", "-fPIC", "-o", name, "-x", "c", "-", *words],
                           check=True, text=True, input=function, cwd=self.folder)
        (self.folder / "libother.so").rename(self.folder / "gone.so")
        for name, said in (("libneeds.so", "libother.so: cannot open shared object file: No such "
                                           "file or directory: begin with LD_LIBRARY_PATH=FOLDER"),
                           ("libplace.so", "./libother.so: cannot open shared object file: No such "
                                           "file or directory\n"),
                           ("libasks.so", "other: begin with LD_PRELOAD=LIB.so, which has it")):
            message = self.run_tool("call", f"./{name}:ask", "int (int x = 3)", status=2,
                                    cwd=self.folder).stderr
            self.assertIn(said, message)
            self.assertTrue(message.startswith("simdbench: op ask: cannot load "), message)

    def test_method_without_its_object(self):
        source = ("namespace a { struct of { of(); void run(float *x, int n); static int k; };"
                  "of::of() { k++; } int of::k; void of::run(float *x, int n) { x[n - 1] = k; }"
                  "void plain(float *x, int n) { x[n - 1] = 0; } }")
        library = self.folder / "liba.so"
        subprocess.run(["c++", "-O1", "-shared", "-fPIC", "-o", library, "-x", "c++", "-"],
                       check=True, text=True, input=source)
        for name, method in ("a::of::run", True), ("a::plain", False):
            said = self.run_tool("call", f"{library}:{name}", "void (float *x, int n)",
                                 status=2).stderr
            self.assertIn("perhaps: 'void (float x[n], int n)'\n", said)
            self.assertEqual(f"{name} looks like a method: then its object comes first, as in 'void "
                             "*self = from calloc(1, BYTES) then a::of::of(self) free free'\n"
                             in said, method)

    def test_object_file(self):
        path = self.folder / "mix.o"
        subprocess.run(["cc", "-O2", "-fPIC", "-c", "-o", path, SOURCE], check=True)
        done = self.run_tool("call", f"{path}:mix_c", MIX, "--sizes=64",
                             "--reference=mix_c", "--quiet", *SHORT)
        self.assertRegex(done.stderr, r"linked by: \S.* -shared .*mix\.o")
        self.assertIn("mix:mix/f32/scalar/mix_c@64", done.stdout)
        done = self.run_tool("call", f"{path}:mix_d", MIX, status=2)
        self.assertIn("mix_c", done.stderr)
        text = self.run_tool("audit", f"{path}:mix_c", MIX, "--sizes=64", "--dry-run").stdout
        self.assertIn("mix:mix/f32/avx2/mix_avx2@64", text)

    def test_program(self):
        path = self.folder / "program"
        subprocess.run(["cc", "-O2", "-fPIE", "-pie", "-rdynamic", "-o", path, "-x", "c", "-"],
                       check=True, text=True,
                       input="int half(int n) { return n / 2; } int main(void) { return 0; }")
        done = self.run_tool("call", f"{path}:half", "int (int n = 8)", status=2)
        self.assertIn("name the object file (.o) or archive (.a)", done.stderr)

    @unittest.skipIf(sanitized(), "the runtime of the sanitizers loads libresolv")
    def test_archive_of_other_libraries(self):
        """What links the library that it needs is said, and does."""
        path = self.folder / "needs.o"
        subprocess.run(["cc", "-O2", "-fPIC", "-c", "-o", path, "-x", "c", "-"], check=True,
                       text=True, input="char *inet_neta(unsigned, char *, unsigned long);\n"
                       "int first(char *to) { return *inet_neta(1u << 24, to, 16); }")
        words = "call", f"{path}:first", "int (char to[16])", *SHORT
        said = self.run_tool(*words, status=2).stderr
        option = re.search("it needs inet_neta, which is in another library: type LDLIBS=(-l\\S+) "
                           "before the command, or name another library", said)[1]
        self.assertRegex(option, "^-l(resolv$|:libresolv)")
        self.run_tool(*words, env=environment(LDLIBS=option))

    @unittest.skipIf(sanitized() or os.environ.get("LD_PRELOAD"),
                     "another allocator must be found first")
    def test_functions_of_loaded_names(self):
        """Calls of a library to itself stay in it, though libc has such a function."""
        library = compile_library(
            self.folder, "libown.so", "-fno-builtin", "-x", "c", "-", input="""
            __attribute__((noinline)) long a64l(const char *text) { return text[0] + 1; }
            long through(const char *text) { return a64l(text); }
            long right(const char *text) { return text[0] + 1; }""")
        row, = kernels(self.run_json(
            "call", f"{library}:through", "long (const char text[n]) for n",
            "--reference=right", "--sizes=8", "--quiet", *SHORT))
        self.assertIn(row["status"], ("ok", "short", "suspect"), row)

    def test_build(self):
        """A run tells the work, and the bytes of all that is loaded for it."""
        other = compile_library(self.folder, "libother.so", SOURCE, "-Wl,--no-as-needed", "-lresolv")
        opens = compile_library(self.folder, "opens.so", SOURCE, "-x", "c", "-", input='''
            #include <dlfcn.h>
            void *also(void) { return dlopen("libnone.so", RTLD_NOW); }''')
        kept = self.folder / "run.json"

        def build(library, prototype, *options, function="mix_c"):
            self.run_tool("call", f"{library}:{function}", prototype, "--sizes=64",
                          "--reference=mix_c", "--quiet", f"--json={kept}", *options, *SHORT)
            tool = self.load(kept)["tool"]
            return [text.rsplit(" ", 1)[1] for text in tool["plugins"] + tool["libraries"]]
        copy = self.folder / "copy.so"
        copy.write_bytes(self.built.read_bytes())
        mine = build(self.built, MIX)
        self.assertRegex(" ".join(mine), "^declared-[0-9a-f]{16}( [0-9a-f]*-[0-9a-f]{16})+$")
        self.assertEqual(build(copy, MIX), mine)
        self.assertNotEqual(build(self.built, MIX.replace("0.5", "0.25")), mine)
        for option in "--input=src=sorted", "--input=src=zero", "--reset":
            self.assertNotEqual(build(self.built, MIX, option), mine)
        self.assertNotEqual(build(self.built, MIX, function="mix_c,mix_choose()"), mine)
        self.assertEqual(build(self.built, MIX, f"--input=src=file:{SOURCE}"), ["", *mine[1:]])
        self.assertEqual(build(opens, MIX), [*mine[:-1], ""])
        self.assertEqual((build(other, MIX)[0], len(build(other, MIX))), (mine[0], len(mine) + 1))

    def test_other_libc(self):
        """musl's libc.so is none of this system's."""
        one = {"input": "int one(int n) { return n; }"}
        libc = compile_library(self.folder, "libc.so", "-Wl,-soname,libc.so", "-x", "c", "-", **one)
        built = compile_library(self.folder, "musl.so", "-Wl,--no-as-needed", libc,
                                "-x", "c", "-", **one)
        libc.unlink()
        self.assertIn(f"cannot load {built}: it was built for musl",
                      self.run_tool("call", f"{built}:one", "int (int n)", status=2).stderr)

    def test_numbers_alone(self):
        """Builds of a function without arrays are compared at any number."""
        built = compile_library(self.folder, "one.so", "-x", "c", "-",
                                input="int one(int n) { return n; }")
        self.assertIn("one/i32/lib/one@12", self.run_tool(
            "ab", f"{built}:one", built, "int (int n)", "--sizes=12", "--dry-run").stdout)

    def test_library_that_is_loaded_already(self):
        """A library that needs another build of it would get the loaded one."""
        compile_library(self.folder, "libcjson.so.1", "-Wl,-soname,libcjson.so.1", "-x", "c",
                        "-", input="int cJSON_Version(int x) { return x; }")
        library = compile_library(
            self.folder, "libneeds.so", "-x", "c", "-", "-x", "none",
            self.folder / "libcjson.so.1", "-Wl,-rpath,$ORIGIN",
            input="int cJSON_Version(int); int next(int x) { return cJSON_Version(x); }")
        call = ("call", f"{library}:next", "int (int x = 3)", "--quiet", *SHORT)
        said = self.run_tool(*call, status=2).stderr
        self.assertIn(f"it needs {self.folder}/libcjson.so.1, and ", said)
        self.assertIn(f"LD_LIBRARY_PATH={self.folder}", said)

    def test_library_with_an_allocator(self):
        """Its calls and libc's find one allocator."""
        library = compile_library(
            self.folder, "liballocates.so", "-fno-builtin", "-x", "c", "-", input="""
            #include <stdlib.h>
            #include <string.h>
            static char heap[4096];
            void *malloc(size_t n) { return n < sizeof heap ? heap : 0; }
            void free(void *p) { if (p && p != heap) abort(); }
            int right(int x) { return x + 3; }
            int copies(int x)
            {
                char *const text = strdup("abc");
                const int n = x + (int)strlen(text);
                free(text);
                return n;
            }""")
        row, = kernels(self.run_json("call", f"{library}:copies", "int (int x = 3)",
                                     "--reference=right", "--quiet", *SHORT))
        self.assertIn(row["status"], ("ok", "short", "suspect"), row)

    @unittest.skipUnless(ctypes.util.find_library("z"), "there is no libz")
    def test_zlib(self):
        for name in "crc32", "adler32":
            document = self.run_json(
                "call", f"libz.so.1:{name}",
                "unsigned long (unsigned long start = 1, const uint8_t x[n], unsigned n)",
                f"--reference={name}", "--sizes=1000", "--quiet", *SHORT)
            row, = kernels(document)
            self.assertIn(row["status"], ("ok", "suspect"), row)
            self.assertEqual(row["id"], f"libz:{name}/u8/lib/{name}@1000")

    def test_values_of_several_parts(self):
        """Structures and complex numbers by value are the single values that docs/call.md says."""
        library = compile_library(self.folder, "libparts.so", "-O1", "-x", "c", "-", input="""
            #include <stdint.h>
            typedef struct { int num, den; } ratio;
            typedef struct { double x, y, z; } point;
            int whole(ratio a) { return 10 * a.num + a.den; }
            int whole_bits(int64_t a) { return (int)(10 * (int)a + (a >> 32)); }
            double size(double _Complex z) { return __real__ z + 2 * __imag__ z; }
            double size_parts(double re, double im) { return re + 2 * im; }
            float sizef(float _Complex z) { return __real__ z + 2 * __imag__ z; }
            float sizef_parts(float __attribute__((vector_size(16))) z) { return z[0] + 2 * z[1]; }
            ratio turned(int64_t a) { return (ratio){(int)(a >> 32), (int)a}; }
            int64_t turned_bits(int64_t a) { return a << 32 | (uint32_t)(a >> 32); }
            point three(double x) { return (point){x, 2 * x, 3 * x}; }
            void three_parts(double *r, double x) { for (int i = 0; i < 3; i++) r[i] = (i + 1) * x; }
            """)
        for name, right, prototype in (
                ("whole", "whole_bits", "int (int64_t a = 0x300000002)"),
                ("size", "size_parts", "double (double re = 3, double im = 4)"),
                ("sizef", "sizef_parts", "float (__m128 z)"),
                ("turned", "turned_bits", "int64_t (int64_t a = 0x300000002)"),
                ("three", "three_parts", "void (double r[3], double x = 0.5)")):
            row, = kernels(self.run_json("call", f"{library}:{name}", prototype,
                                         f"--reference={right}", "--quiet", *SHORT))
            self.assertIn(row["status"], ("ok", "short", "suspect"), row)

    def test_functions_in_objects(self):
        """A structure that the library fills has them; callbacks may do nothing."""
        library = compile_library(self.folder, "libparts.so", "-O1", "-x", "c", "-", input="""
            #include <string.h>
            typedef int sum(const int *x, int n, int (*keep)(int));
            static int forwards(const int *x, int n, int (*keep)(int)) {
                int s = 0; for (int i = 0; i < n; i++) s = 3 * s + x[i] + keep(x[i]); return s; }
            static int backwards(const int *x, int n, int (*keep)(int)) {
                int s = 0, p = 1; for (int i = n; i-- > 0; p *= 3) s += p * (x[i] + keep(x[i]));
                return s; }
            struct functions { const char *name; sum *sum[2]; } table = {"t", {forwards, backwards}};
            const struct functions *get(int level) { return level == 2 ? &table : 0; }
            int fill(struct functions *f, const char *name) {
                if (!strcmp(name, "all")) *f = table; return 1; }
            struct { const struct functions *methods; } object = {&table};
            void *create(void) { return &object; }
            """)
        prototype = "int sum(const int x[n], int n, int (*keep)(int) = &nothing)"
        places = 'get(2)[1],get(2)[2],fill(&, "all")[2],create()[0][1]'
        document = self.run_json("call", f"{library}:{places}", prototype, "--sizes=64",
                                 "--reference=get(2)[1]", "--quiet", *SHORT)
        rows = {row["variant"]: row["status"] for row in kernels(document)}
        self.assertEqual(set(rows), {"get_2_1", "get_2_2", "fill_all_2", "create_0_1"})
        self.assertEqual(set(rows.values()) - {"ok", "short", "suspect"}, set(), rows)
        audit = self.run_json("audit", f"{library}:{places}", prototype, "--sizes=64",
                              "--dispatcher=get(2)[2]", "--quiet", *SHORT)
        self.assertEqual(audit["settings"]["dispatcher"], "get_2_2")
        done = self.run_tool("call", f"{library}:get(1)[1]", prototype, "--sizes=64", status=2)
        self.assertIn("get(1)[1] gives no function", done.stderr)

    def test_place_among_pointers(self):
        """In an array of pointers, x + 1 counts pointers."""
        library = compile_library(self.folder, "libplanes.so", "-O1", "-x", "c", "-", input="""
            const void *keep(const int *const *x) { return x; }
            int first(const int *const *kept, const int *const *x) { return kept[0][0]; }
            int right(const int *const *kept, const int *const *x) { return x[1][0]; }
            """)
        row, = kernels(self.run_json(
            "call", f"{library}:first", "int (void *kept = from keep(x + 1), const int *x[2][4])",
            "--reference=right", "--quiet", *SHORT))
        self.assertIn(row["status"], ("ok", "short", "suspect"), row)

    def test_stripped(self):
        """What a file exports does not tell what it has; with symbols nothing is said."""
        for options, stripped in (("-s",), True), ((), False), (("-c",), False):
            library = compile_library(self.folder, "libasks.so", *options, "-x", "c", "-",
                                      input="int asks(int x) { return x * x; }")
            said = self.run_tool("call", library).stdout
            self.assertIn("asks", said)
            self.assertEqual("was stripped" in said, stripped, said)
