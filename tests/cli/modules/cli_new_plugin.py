# SPDX-License-Identifier: Apache-2.0
"""Projects of `simdbench new-plugin`, and the structs of its languages."""
import os
import re
import shlex
import shutil
import subprocess

from cli_tool import PATIENCE, SHORT, SOURCE, Case, environment, kernels

HEADER = SOURCE / "kernels/simdbench.h"
CRATE = SOURCE / "bindings/rust/simdbench_plugin.rs"
ZIG, ZIG_STRUCTS = SOURCE / "bindings/zig/simdbench.zig", ("shape", "operand", "operands", "kernel",
                                                           "module")


def rust_compiler(case):
    """$RUSTC, or the one of the system."""
    for name in (os.environ.get("RUSTC"), "/usr/bin/rustc", "rustc"):
        if name and shutil.which(name):
            return name
    return case.skipTest("there is no rustc: apt-get install rustc, or set RUSTC")


def zig_compiler(case):
    """$ZIG, or the one in PATH."""
    program = shutil.which(os.environ.get("ZIG", "zig"))
    return program or case.skipTest("there is no zig: pip install ziglang, and set ZIG")


class NewPlugin(Case):
    def make(self, name, *options, isa="--isa=scalar,avx2"):
        """Runs the command that is printed; the rows of the module."""
        printed = self.run_tool("new-plugin", f"./{name}", *options, cwd=self.folder).stdout
        self.assertEqual(printed.count("\n"), 1, printed)
        path = self.folder / f"{name}.json"
        command = [printed.strip().replace("64..256", "17,b2x5x5x5"), isa, "--baseline=none", *SHORT,
                   f"--json={path}"]
        done = subprocess.run(" ".join(map(str, command)), shell=True, cwd=self.folder,
                              capture_output=True, text=True, timeout=PATIENCE,
                              env=environment())
        self.assertEqual(done.returncode, 0, f"{printed}{done.stdout}{done.stderr}")
        self.assertNotIn("warning", done.stderr)
        return kernels(self.load(path), module=name)

    def check_gemm(self, name, *options):
        one, batch = self.make(name, *options)
        self.assertIn(one["status"], ("ok", "skipped"), one)
        self.assertEqual(batch["status"], "skipped", batch)

    def test_c(self):
        self.check_gemm("mine")

    def test_cpp(self):
        self.check_gemm("mine-too", "--lang=cpp")

    def test_rust(self):
        compiler = rust_compiler(self)
        os.environ["MAKEFLAGS"] = f"RUSTC={compiler}"
        self.addCleanup(os.environ.pop, "MAKEFLAGS")
        self.check_gemm("mine_r", "--lang=rust")
        self.check_panic("mine_r/mine_r.rs", "let c = outputs",
                         'assert!(a.len() < 9, "too many");\n        let c = outputs',
                         r"panicked at mine_r\.rs:\d+:\d+: too many")

    def check_panic(self, path, text, broken, message, *flags):
        """It is what the row says."""
        source = self.folder / path
        name, good = source.stem, source.read_text(encoding="utf-8")
        self.assertIn(text, good)
        source.write_text(good.replace(text, broken), encoding="utf-8")
        subprocess.run(["make", "-C", source.parent, *flags], check=True, capture_output=True)
        document = self.run_json("gemm", f"--plugin={source.parent}/{name}.so",
                                 "--isa=scalar,avx2", "--sizes=8", "--baseline=none", *SHORT,
                                 status=4)
        row, = kernels(document, module=name)
        self.assertEqual(row["status"], "failed", row)
        self.assertRegex(row["reason"], message)

    def test_zig(self):
        os.environ["MAKEFLAGS"] = f"ZIG={zig_compiler(self)}"
        self.addCleanup(os.environ.pop, "MAKEFLAGS")
        self.check_gemm("mine_z", "--lang=zig")
        self.check_panic("mine_z/mine_z.zig", "const n = operands.dim(1);",
                         "const n = operands.dim(1) + a.count;", "panicked: index out of bounds",
                         "ZIGFLAGS=-O ReleaseSafe -mcpu=x86_64_v3")

    def test_which_zig(self):
        """The makefile takes PyPI's where there is no other."""
        programs = self.folder / "bin"
        programs.mkdir()
        command = [shutil.which("make") or self.skipTest("there is no make"), "-n", "-C",
                   str(ZIG.parent), "-f", "zig.mk"]
        for expected in ("python3 -m ziglang", "zig"):
            done = subprocess.run(command, env={**environment(), "PATH": str(programs)}, text=True,
                                  capture_output=True, timeout=PATIENCE, check=True)
            self.assertIn(f"\n{expected} build-lib ", done.stdout)
            (programs / "zig").write_text("#!/bin/sh\n")
            (programs / "zig").chmod(0o755)

    def test_own_types(self):
        """Each type that has arithmetic; strict compilers have nothing to say."""
        for kind in ("u8", "i16", "u64", "f16", "f64"):
            rows = self.make(f"cube_{kind}", "--op=own", f"--type={kind}")
            self.assertEqual({(r["type"], r["isa"]) for r in rows}, {(kind, "avx2")})
            self.assertLessEqual({r["status"] for r in rows}, {"ok", "skipped"}, rows)
            self.assertTrue(all(r["limit"]["guessed"] for r in rows), rows)

    def test_strict_compilers(self):
        for lang, option, flags in (("c", "CFLAGS", "-std=c11"), ("cpp", "CXXFLAGS", "-std=c++17")):
            for op in ("gemm", "own"):
                name = f"strict_{lang}_{op}"
                self.run_tool("new-plugin", f"./{name}", f"--lang={lang}", f"--op={op}", cwd=self.folder)
                subprocess.run(["make", "-C", self.folder / name,
                                f"{option}=-O2 {flags} -Wall -Wextra -pedantic -Werror"],
                               check=True, capture_output=True)

    def test_links_a_library(self):
        """LDFLAGS and LDLIBS reach the linker."""
        self.run_tool("new-plugin", "./linked", cwd=self.folder)
        done = subprocess.run(["make", "-n", "-C", self.folder / "linked", "LDFLAGS=-L/there", "LDLIBS=-lmix"],
                              check=True, capture_output=True, text=True)
        self.assertRegex(done.stdout, r"-L/there .*linked\.c -lmix")

    def test_from_a_prototype(self):
        """A function of one's own beside that of a shared library or an archive."""
        (self.folder / "add.c").write_text(
            "float add(float y[2][9], const float *x, int n, const float *by, double *sum, char *none)\n"
            "{ for (int i = 0; i < n; i++) *sum += y[0][i] = x[i] + *by; return none ? 1 : 2; }\n"
            "float other(void) { return 1; }\nstatic int hidden(void) { return 1; }\n"
            "int (*at)(void) = hidden;\n")
        subprocess.run(["sh", "-c", "cc -w -O1 -g -c add.c && ar rc libadd.a add.o && "
                        "cc -shared -o libadd.so add.o"], cwd=self.folder, check=True)
        add = "float (inout float y[n], const float x[n], int n, const float &by = 2, double *sum = 0.0, char *none = NULL)"
        for name, prototype, link in (
                ("copy-own", "void *memcpy(uint8_t y[n], const uint8_t x[n], size_t n)", "libc.so.6"),
                ("vectors", "__m256d sin4(__m256d x)", "libmvec.so.1:_ZGVdN4v_sin"),
                ("3d", add, "./libadd.a:add"), ("shared", add, "./libadd.so:add")):
            with self.subTest(name):
                rows = self.make(name, f"--from={prototype}", f"--link={link}", isa="--sizes=9")
                self.assertEqual([r["variant"] for r in rows],
                                 ["f" * (name == "3d") + name.replace("-", "_") + end
                                  for end in ("_linked", "_own")])
                self.assertLessEqual({r["status"] for r in rows}, {"ok", "skipped", "short"}, rows)
        source = self.folder / "shared/shared.c"
        text = source.read_text("utf-8")
        self.assertIn("float shared_own(float *y, const float *x, int32_t n, const float *by, double *sum, void *none)", text)
        source.write_text("(y, x, n - 1".join(text.rsplit("(y, x, n", 1)), encoding="utf-8")
        done = subprocess.run(["make", "-C", source.parent, "CFLAGS=-Wall -Wextra -Werror -mavx2"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["make", "-B", "-n", "-C", source.parent, "LDLIBS=-lmine"],
                              capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"-lmine \S+/libadd\.so -Wl,-rpath,")
        document = self.run_json("call", source.with_suffix(".json"), "--sizes=9", *SHORT, status=4)
        self.assertEqual([r["status"] for r in kernels(document)], ["ok", "wrong"])
        (self.folder / "a;b").mkdir()
        shutil.copy(self.folder / "libadd.so", self.folder / "a;b")
        for link, message in (("libc.so.6:memcpz", "did you mean"), ("./none.so:f", "none.so"),
                              ("./a;b/libadd.so:add", "no makefile has a path as"),
                              ("./libadd.so", "which function of ./libadd.so?"),
                              ("./libadd.so:hidden", "does not export hidden")):
            done = self.run_tool("new-plugin", "x", f"--from={add}", f"--link={link}", status=2,
                                 cwd=self.folder)
            self.assertIn(message, done.stderr)
        done = self.run_tool("new-plugin", "x", f"--from={add}", status=2, cwd=self.folder)
        self.assertIn("--from and --link belong together", done.stderr)

    def test_own_op(self):
        for lang in ("c", "cpp"):
            self.check_own(lang)

    def test_own_op_in_rust(self):
        os.environ["MAKEFLAGS"] = f"RUSTC={rust_compiler(self)}"
        self.addCleanup(os.environ.pop, "MAKEFLAGS")
        self.check_own("rust")
        self.run_tool("cube_rust", f"--plugin={self.folder}/cube_rust/cube_rust.so", "--shape=-3", status=2)
        for kind in ("u8", "f64"):
            rows = self.make(f"square_{kind}", "--op=own", f"--type={kind}", "--lang=rust")
            self.assertEqual({row["type"] for row in rows}, {kind})

    def check_own(self, lang):
        rows = self.make(f"cube_{lang}", f"--lang={lang}", "--op=own")
        self.assertEqual({r["op"] for r in rows}, {f"cube_{lang}"})
        self.assertLessEqual({r["status"] for r in rows}, {"ok", "skipped"})

    def test_mistakes(self):
        for arguments, message in (
                (["a b"], "letters, digits"), (["x/"], "letters, digits"),
                (["simdbench"], "name of simdbench's own"),
                (["relu", "--op=own"], "name of simdbench's own"),
                (["gemm-argmax", "--op=own"], "name of simdbench's own"),
                *((["./" + name, "--op=own"], f"{name} is a command of simdbench")
                  for name in ("list", "study", "all", "new-plugin", "worker")),
                (["Makefile"], "make would take Makefile for its own file"),
                (["GNUmakefile", "--lang=cpp"], "make would take GNUmakefile"),
                (["x", "--lang=ada"], "--lang=ada: there are c, cpp, rust and zig"),
                (["x", "--type=bf16", "--op=own"], "no C compiler computes with"),
                (["x", "--type=u8"], "--type=u8: with --op=own"),
                (["x", "--type=f16", "--op=own", "--lang=cpp"], "f16 in C"),
                (["x", "--lang=zig", "--op=own"], "zig has kernels"),
                *((["x", "--from=int abs(int x)", "--link=libc.so.6", option],
                   "--from writes C with the types of its prototype")
                  for option in ("--lang=rust", "--type=u8", "--op=own")),
                (["no/such/folder"], "No such file"), ([], "new-plugin needs a folder")):
            with self.subTest(arguments):
                done = self.run_tool("new-plugin", *arguments, status=2, cwd=self.folder)
                self.assertIn(message, done.stderr)
                self.assertEqual(list(self.folder.iterdir()), [])
        self.run_tool("new-plugin", "mine", cwd=self.folder)
        done = self.run_tool("new-plugin", "mine", status=2, cwd=self.folder)
        self.assertIn("File exists", done.stderr)

    def test_nothing_is_left_of_a_refusal(self):
        """Of files that are not there yet, or cannot be written."""
        mine = self.folder / "mine"
        mine.mkdir()
        for name in ("mine.c", "simdbench.h"):
            with self.subTest(name):
                (mine / name).symlink_to("nowhere")
                done = self.run_tool("new-plugin", "mine", status=2, cwd=self.folder)
                self.assertIn(f"mine/{name}: File exists", done.stderr)
                self.assertEqual([path.name for path in mine.iterdir()], [name])
                (mine / name).unlink()
        mine.rmdir()
        # The Makefile has room, the header has not.
        done = self.run_tool("new-plugin", "mine", status=2, cwd=self.folder,
                             before=["prlimit", "--fsize=4000"])
        self.assertIn("could not be written", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class Structs(Case):
    """Sizes of structs and offsets of fields are those of simdbench.h."""

    def test_rust(self):
        compiler = rust_compiler(self)
        (self.folder / "rust.rs").write_text(
            f'#[allow(dead_code)]\n#[path = "{CRATE}"]\nmod plugin;\n'
            "fn main() {\n    for (name, size, offsets) in plugin::abi::layouts() {\n"
            '        println!("{} {} {:?}", name, size, offsets);\n    }\n}\n', encoding="utf-8")
        names = {"kernel": "KernelRow", "option": "OptionValue", "shape_list": "ShapeList"}
        expected = [re.sub(r"^\w+", lambda m: names.get(m[0], m[0].capitalize()), line)
                    for line in self.layouts()]
        self.assertEqual(sorted(expected), sorted(self.printed(
            shlex.split(compiler), "--edition=2021", "-o", "rust", "rust.rs")))

    def test_zig(self):
        compiler = zig_compiler(self)
        shutil.copy(ZIG, self.folder)
        (self.folder / "zig.zig").write_text(
            'const std = @import("std");\nconst simdbench = @import("simdbench.zig");\n'
            "fn print(comptime T: type, comptime name: []const u8) void {\n"
            '    std.debug.print("{s} {d} [", .{ name, @sizeOf(T) });\n'
            "    inline for (comptime std.meta.fieldNames(T), 0..) |field, i|\n"
            '        std.debug.print("{s}{d}", .{ if (i > 0) ", " else "", @offsetOf(T, field) });\n'
            '    std.debug.print("]\\n", .{});\n}\npub fn main() void {\n'
            + "".join(f'    print(simdbench.{name.capitalize()}, "{name}");\n' for name in ZIG_STRUCTS)
            + "}\n", encoding="utf-8")
        self.assertEqual([line for line in self.layouts() if line.split()[0] in ZIG_STRUCTS],
                         self.printed([compiler], "build-exe", "-femit-bin=zig", "zig.zig"))

    def printed(self, compiler, *arguments):
        """By the program that the compiler makes of its last argument."""
        subprocess.run([*compiler, *arguments], check=True, cwd=self.folder)
        program = self.folder / arguments[-1].partition(".")[0]
        return subprocess.run([program], check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT).stdout.splitlines()

    def layouts(self):
        """"shape 136 [0, 4, 8]" of each struct."""
        structs = re.findall(r"^struct simdbench_(\w+) \{(.*?)^\};", self.header(), re.M | re.S)
        lines = []
        for name, body in structs:
            fields = [re.search(r"(?:\(\*(?:const )?(\w+)\)\(|(\w+)(?:\[\w+\])?$)", field).group(1, 2)
                      for declaration in body.split(";") if declaration.strip()
                      for field in self.fields(declaration)]
            offsets = ", ".join(f"offsetof(struct simdbench_{name}, {a or b})" for a, b in fields)
            lines.append(f"    size_t {name}[] = {{{offsets}}};\n"
                         f'    print("{name}", sizeof(struct simdbench_{name}), {name}, '
                         f"sizeof {name} / sizeof *{name});")
        (self.folder / "c.c").write_text(
            '#include "simdbench.h"\n#include <stdio.h>\n'
            "static void print(const char *name, size_t size, size_t *at, size_t n)\n{\n"
            '    printf("%s %zu [", name, size);\n    for (size_t i = 0; i < n; i++)\n'
            '        printf("%s%zu", i ? ", " : "", at[i]);\n    puts("]");\n}\n'
            "int main(void)\n{\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")
        self.assertGreater(len(lines), 9)
        return self.printed(["cc"], f"-I{HEADER.parent}", "-o", "c", "c.c")

    @staticmethod
    def header():
        return re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.S)

    @staticmethod
    def fields(declaration):
        """"uint32_t a, b" as two; a function is one."""
        one = " ".join(declaration.split())
        return [one] if "(" in one else one.split(",")
