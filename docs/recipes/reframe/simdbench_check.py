# SPDX-License-Identifier: Apache-2.0
"""A ReFrame 4 check: one run of simdbench a node, its cases as performance variables.

    reframe -c simdbench_check.py --distribute=idle -r -S simdbench=/usr/bin/simdbench

References are a smoke test: shares of the limit that the same run measured, with wide bounds.
Which node is slow is said by `simdbench report --by=host` over the files of several runs."""
import json
import os
import shlex

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable

# Per partition: shares of the limit, with bounds; names are those of name_of().
REFERENCES = {
    "*": {"gemm_maxplus-f32_avx2_fma_64x64x64_share": (0.7, -0.5, None, "1")},
}


def name_of(case):
    """ReFrame splits names at ':' and others."""
    return "".join(c if c.isalnum() or c in "._-" else "_" for c in case)


@rfm.simple_test
class SimdbenchCheck(rfm.RunOnlyRegressionTest):
    op = parameter(["gemm", "relu"])
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    simdbench = variable(str, value="simdbench")
    isa = variable(str, value="avx2")
    sizes = variable(dict, value={"gemm": "64,256", "relu": "1k,1M"})
    options = variable(str, value="")  # more of them: -S options='--time-per-case=1s'
    exclusive_access = True
    num_tasks = 1
    time_limit = "10m"
    keep_files = ["run.json"]

    @run_after("init")
    def set_command(self):
        self.executable = self.simdbench
        self.executable_opts = [self.op, f"--isa={self.isa}", f"--sizes={self.sizes[self.op]}",
                                "--isa-fallback=off", "--quiet", "--json=run.json",
                                *shlex.split(self.options)]

    def document(self):
        with open(os.path.join(self.stagedir, "run.json"), encoding="utf-8") as file:
            return json.load(file)

    @sanity_function
    def every_case_ran(self):
        document = self.document()
        bad = [r["id"] for r in document["results"]
               if r["status"] in ("wrong", "failed")]
        return sn.all([sn.assert_eq(document["schema_version"], 1),
                       sn.assert_false(document.get("interrupted", False)),
                       sn.assert_eq(bad, [])])

    @run_before("performance")
    def set_variables(self):
        """Cases are known only when the file is there."""
        for result in self.document()["results"]:
            if result["role"] != "kernel" or result["status"] != "ok":
                continue
            name = name_of(result["id"])
            self.perf_variables[name] = sn.make_performance_function(
                sn.defer(result["summary"]["median_ns"]), "ns")
            limit = result["limit"]
            if limit and limit["share"] and not limit["too_low"]:
                self.perf_variables[f"{name}_share"] = sn.make_performance_function(
                    sn.defer(limit["share"]), "1")
        self.reference = {where: {name: bounds for name, bounds in names.items()
                                  if name in self.perf_variables}
                          for where, names in REFERENCES.items()}
