# SPDX-License-Identifier: Apache-2.0
"""Kernels of a plug-in for the op of a declaration, or of another plug-in."""
import json
import re

from cli_call import MIX, CallCase
from cli_tool import MODULES, SHORT, SOURCE, compile_library, kernels

MIXES = {"name": "mix", "prototype": MIX, "kernels": {"scalar": "mix_c"}, "reference": "mix_c"}
TWICE = {'"mix"': '"twice"', "operand[2]": "operand[0]", "+= 0.5f": "= 2"}


def checked(row):
    """A time that a busy machine spoils is no wrong result."""
    return "ok" if row["status"] in ("suspect", "short") else row["status"]


class OtherOps(CallCase):
    def declare(self, library=None, **op):
        path = self.folder / "mix.json"
        op = {**MIXES, "library": str(library or self.built), "sizes": "100", **op}
        path.write_text(json.dumps({"functions": 1, "ops": [op]}), encoding="utf-8")
        return path

    def mine(self, changes=(), name="mine.so"):
        """The documented module, changed."""
        text = (SOURCE / "docs/plugin.md").read_text(encoding="utf-8")
        text = re.findall(r"```c\n(.*?)```", text, re.S)[1]
        for old, new in dict(changes).items():
            self.assertIn(old, text)
            text = text.replace(old, new)
        source = self.folder / "mine.c"
        source.write_text(text, encoding="utf-8")
        return compile_library(self.folder, name, "-Wall", "-Werror", f"-I{SOURCE / 'kernels'}",
                               source)

    def rows(self, op, *plugins, **more):
        document = self.run_json(op, *(f"--plugin={path}" for path in plugins), "--isa=all",
                                 "--baseline=none", "--quiet", *SHORT, **more)
        return {row["id"].partition("@")[0]: checked(row) for row in kernels(document)}

    def test_declared(self):
        """The order of the options does not matter."""
        plugins = self.declare(), self.mine()
        good = {"mix:mix/f32/scalar/mix_c": "ok", "mine:mix/f32/scalar/mine": "ok"}
        self.assertEqual(self.rows("mix", *plugins), good)
        self.assertEqual(self.rows("mix", *plugins[::-1]), good)
        wrong = self.mine({"0.5f": "0.25f"})
        self.assertEqual(self.rows("mix", wrong, plugins[0], status=4),
                         {**good, "mine:mix/f32/scalar/mine": "wrong"})

    def test_further_outputs(self):
        """They are compared in the process that has them."""
        library = compile_library(self.folder, "libboth.so", "-xc", "-", input="""
            void both(float *y, float *z, const float *x, unsigned long n)
            { for (unsigned long i = 0; i < n; i++) y[i] = z[i] = x[i]; }""")
        path = self.declare(library, kernels={"scalar": "both"}, reference="both",
                            prototype="void (float y[n], float z[n], const float x[n], size_t n)")
        body = "((float *)operands->operand[0]->data)[i] = dst[i] = "
        for value, want in (("src[i], dst[i] += 1", "wrong"), ("src[i]", "ok")):
            mine = self.mine({"dst[i] += 0.5f * src[i]": body + value})
            rows = self.rows("mix", path, mine, status=0 if want == "ok" else 4)
            self.assertEqual(rows["mine:mix/f32/scalar/mine"], want)

    def test_of_a_plugin(self):
        other = MODULES / "wrong_result.so"
        good = {"wrong_result:twice/f32/scalar/good": "ok",
                "wrong_result:twice/f32/scalar/bad": "wrong", "mine:twice/f32/scalar/mine": "ok"}
        for plugins in (other, self.mine(TWICE)), (self.mine(TWICE), other):
            self.assertEqual(self.rows("twice", *plugins, status=4), good)

    def test_starts_anew(self):
        """A worker that crashes is replaced by one that has the op, too."""
        mine = self.mine({"    float *dst": "    if (operands->shape->dim[0] == 99)\n"
                          "        __builtin_trap();\n    float *dst"})
        document = self.run_json("mix", f"--plugin={self.declare()}", f"--plugin={mine}",
                                 "--sizes=99,100", "--quiet", *SHORT, status=4)
        self.assertEqual({row["shape"]: checked(row) for row in kernels(document, module="mine")},
                         {"99": "failed", "100": "ok"})

    def test_refused(self):
        path = self.declare()
        for changes, why in (
                ({'"mix"': '"mxi"'}, "module mine: kernel mine computes op 'mxi', which neither "
                 "simdbench nor a module here has; did you mean mix? (ops of modules: mix)"),
                ({"F32": "F64"}, "module mine: kernel mine is of type f64, and op 'mix' of f32")):
            done = self.run_tool("mix", f"--plugin={self.mine(changes)}", f"--plugin={path}",
                                 status=2)
            self.assertIn(why, done.stderr)
        mine = self.mine()
        self.assertIn("(ops of modules: none)",
                      self.run_tool("relu", f"--plugin={mine}", status=2).stderr)
        self.assertIn("BASE or HEAD: kernel mine computes op 'mix', which neither",
                      self.run_tool("ab", mine, mine, status=2).stderr)

    def test_proved(self):
        plugins = [f"--plugin={path}" for path in (self.declare(), self.mine())]
        row, = kernels(self.run_json("mix", *plugins, "--prove", "--sizes=1000", "--quiet",
                                     "--filter=mine:*", *SHORT))
        self.assertGreater(row["proof"]["instructions"], 100, row)
        plan = self.run_tool("explain", "mine:mix/f32/scalar/mine@64", *plugins, "--dry-run")
        self.assertIn("mine:mix/f32/scalar/mine@64", plan.stdout)

    def test_ab(self):
        document = self.run_json("ab", self.mine(), self.mine(name="other.so"), "mix",
                                 f"--plugin={self.declare()}", "--sizes=64", "--processes=8",
                                 "--rounds=6", "--quiet")
        row, = kernels(document)
        self.assertEqual(row["id"], "mix/f32/scalar/mine@64")
