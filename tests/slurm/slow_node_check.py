# SPDX-License-Identifier: Apache-2.0
"""The ReFrame check of docs/recipes with the module that is slow on one node."""
import sys
from pathlib import Path

import reframe as rfm
from reframe.core.builtins import parameter

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs/recipes/reframe"))
from simdbench_check import SimdbenchCheck


@rfm.simple_test
class SlowNodeCheck(SimdbenchCheck):
    op = parameter(["twice"])
    sizes = {"twice": "100"}
    isa = "scalar"
