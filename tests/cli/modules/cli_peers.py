# SPDX-License-Identifier: Apache-2.0
"""Modules of peers/, where scripts/setup peers has built them: rows, versions, and the results
that are known to be wrong."""
import re
import shutil
import subprocess

from cli_tool import BINARY, SHORT, SOURCE, Case, environment, kernels

MANIFESTS = {path.parent.name: path.read_text(encoding="utf-8")
             for path in sorted((SOURCE / "peers").glob("*/Cargo.toml"))
             if "cdylib" in path.read_text(encoding="utf-8")}
TROPICAL = {f"{semiring}-{kind}/avx2/{variant}" for semiring in ("maxplus", "minplus", "maxtimes")
            for kind in ("f32", "f64") for variant in ("alloc", "workspace")}
RELU = {"f32/avx2/backend", "f32/sse2/backend", "f32/lib/slice", "f32/avx2/vector",
        "f32/sse2/vector"}
TANH = {f"f32/{isa}/{variant}" for isa in ("avx2", "sse2") for variant in ("backend", "vector")}
TANH_WRONG = {row for row in TANH if "sse2" in row}
TRUENO = [(["relu", "--sizes=0,1,1003"], RELU, ()),
          (["relu", "--sizes=1003", "--input=special"], RELU, RELU),
          (["tanh", "--sizes=1003"], TANH, TANH_WRONG),
          (["tanh", "--sizes=1003", "--input=special"], TANH, TANH_WRONG)]
PLUSTIMES = ["gemm", "--semiring=maxtimes", "--type=f32,f64", "--sizes=17x9x33,64,3x4x0,0x3x3"]
# Arguments of a run, all rows of the module in it, and those that are wrong.
RUNS = {
    "aprender-compute": TRUENO,
    "burn": [(["conv", "--layout=nchw", "--sizes=n2c16h10w12k16r3s3,n1c8h9w11k16r3s5p1q2,"
               "n1c8h9w9k16r3s3u2v2,n1c8h9w9k16r3s3d2,n1c8h9w9k16r3s3g2,n2c3h7w7k5r1s1,"
               "n1c16h20w40k16r3s3p1q1"], {"f32/lib/ndarray", "f32/lib/flex"}, ())],
    "matrixmultiply": [(PLUSTIMES, {"plustimes-f32/avx2/sgemm", "plustimes-f64/avx2/dgemm"}, ())],
    "ndarray": [(PLUSTIMES, {f"plustimes-{kind}/avx2/{variant}" for kind in ("f32", "f64")
                             for variant in ("dot", "into")}, ())],
    "tropical-gemm": [
        (["gemm", "--semiring=all", "--type=f32,f64", "--sizes=17x9x33,64,3x4x0"], TROPICAL, ()),
        (["gemm", "--semiring=all", "--type=f32,f64", "--sizes=64", "--input=special"],
         TROPICAL, TROPICAL),
    ],
    "trueno": TRUENO,
}


class PeerNames(Case):
    def test_not_built(self):
        """A peer is known by name, and so is what builds it."""
        self.assertEqual(set(MANIFESTS), set(RUNS))
        alone = shutil.copy(BINARY, self.folder / "simdbench")
        for name in MANIFESTS:
            with self.subTest(name):
                done = subprocess.run([alone, "gemm", f"--baseline={name}"], text=True,
                                      capture_output=True, env=environment(), check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"module '{name}' is not built: scripts/setup peers does it",
                              done.stderr)


class Peers(Case):
    def check(self, name):
        """The module has the version that its manifest pins, and its rows are right but for
        those that are not."""
        if not (BINARY.parents[1] / f"peers/{name}.so").exists():
            self.skipTest(f"build/peers/{name}.so is absent: scripts/setup peers {name}")
        pinned = ", ".join(" ".join(found) for found in
                           re.findall(r'^(\S+) = .*"=([^"]+)"', MANIFESTS[name], re.M))
        for arguments, rows, wrong in RUNS[name]:
            with self.subTest(arguments):
                document = self.run_json(*arguments, f"--baseline={name}",
                                         "--isa=sse2,avx2", *SHORT,
                                         status=4 if wrong else 0)
                theirs = {}
                for row in kernels(document, module=name):
                    if row["status"] == "short":  # no elements, no time
                        continue
                    self.assertEqual(row["module_version"], f"{pinned}, for x86-64-v3")
                    theirs.setdefault(row["id"].split("@")[0].split("/", 1)[1], set()).add(
                        row["status"])
                self.assertEqual(theirs, {row: {"wrong" if row in wrong else "ok"}
                                          for row in rows})

    def test_aprender_compute(self):
        self.check("aprender-compute")

    def test_burn(self):
        self.check("burn")

    def test_matrixmultiply(self):
        self.check("matrixmultiply")

    def test_ndarray(self):
        self.check("ndarray")

    def test_tropical_gemm(self):
        self.check("tropical-gemm")

    def test_trueno(self):
        self.check("trueno")
