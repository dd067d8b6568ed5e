# SPDX-License-Identifier: Apache-2.0
"""Plug-ins, good and bad, the installed tree, and the plug-in of the documentation."""
import os
import re
import shutil
import subprocess

from cli_tool import BINARY, MODULES, SHORT, SMALL, SOURCE, Case, environment, kernels

__all__ = ["Plugins", "Installed"]


class Plugins(Case):
    def module(self, name):
        path = MODULES / f"{name}.so"
        self.assertTrue(path.exists(), path)
        return f"--plugin={path}"

    def broken(self, name, status, *more):
        """A plug-in whose case ends with `status`; all others must not notice."""
        document = self.run_json(*SMALL, self.module(name), *more, status=4)
        theirs = [r for r in kernels(document) if r["module"]]
        self.assertEqual({r["status"] for r in theirs}, {status})
        for result in theirs:
            self.assertTrue(result["reason"])
        ours = kernels(document, module=None)
        self.assertTrue(ours)
        self.assertLessEqual({r["status"] for r in ours}, {"ok", "noisy"})
        return " ".join(r["reason"] for r in theirs)

    def test_newer_abi(self):
        done = self.run_tool(*SMALL, self.module("newer_abi"), status=2)
        self.assertRegex(done.stderr, r"ABI\D*\d+.*\d+")
        self.assertIn("newer_abi", done.stderr)

    def test_crash_on_load(self):
        done = self.run_tool(*SMALL, self.module("crash_load"), status=2)
        self.assertIn("crash_load", done.stderr)

    def test_crash_in_run(self):
        self.broken("crash_run", "failed")

    def test_endless_loop(self):
        self.assertIn("1", self.broken("endless", "failed", "--timeout=1s"))

    def test_write_outside_the_output(self):
        self.broken("scribble", "wrong")

    def test_own_op(self):
        document = self.run_json("softmax", self.module("softmax"), "--sizes=100",
                                 "--baseline=none", *SHORT)
        self.assertTrue(kernels(document, op="softmax", status="ok"))


class Installed(Case):
    def install(self):
        meson = shutil.which("meson")
        if not meson:
            self.skipTest("meson is not installed")
        subprocess.run([meson, "install", "-C", BINARY.parent, "--no-rebuild", "--destdir",
                        self.folder], check=True, capture_output=True, env=environment())
        return next(self.folder.rglob("bin/simdbench"))

    def test_modules_are_found(self):
        binary = self.install()
        names = {str(p.relative_to(self.folder)) for p in self.folder.rglob("*")}
        for pattern in (r"include/simdbench\.h$", r"pkgconfig/simdbench\.pc$",
                        r"simdbench/modules/\w+\.so$"):
            self.assertTrue([n for n in names if re.search(pattern, n)], pattern)
        done = subprocess.run([binary, "gemm", "--isa=scalar", "--sizes=8",
                               "--baseline=openblas", "--dry-run"],
                              capture_output=True, text=True, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("openblas:gemm/", done.stdout)

    def test_documented_plugin(self):
        """The code and the commands of docs/plugin.md work as they stand there."""
        text = (SOURCE / "docs/plugin.md").read_text(encoding="utf-8")
        code = re.search(r"```c\n(.*?)```", text, re.S).group(1)
        name, build = re.search(r"```sh\n.*?((?:cc|gcc|clang) .*?(\S+\.c).*?)\n", text,
                                re.S).group(2, 1)
        shared = re.search(r"-o (\S+\.so)", build).group(1)
        (self.folder / name).write_text(code)
        subprocess.run(build.replace("cc ", os.environ.get("CC", "cc") + " ", 1), shell=True,
                       cwd=self.folder, check=True,
                       env=environment(C_INCLUDE_PATH=str(SOURCE / "kernels")))
        op = re.search(r"simdbench (\w+) [^\n]*--plugin", text).group(1)
        document = self.run_json(op, f"--plugin={self.folder / shared}", "--baseline=none",
                                 *SHORT)
        theirs = [r for r in kernels(document) if r["module"]]
        self.assertTrue(theirs)
        self.assertLessEqual({r["status"] for r in theirs}, {"ok", "noisy"})
