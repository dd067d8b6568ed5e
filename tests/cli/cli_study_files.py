# SPDX-License-Identifier: Apache-2.0
"""Studies that simdbench brings name cases that are there, and the contract of docs/studies.md
can be measured as it stands there."""
import json
import re

from cli_tool import BINARY, MODULES, SOURCE, Case, environment

__all__ = ["StudyFiles"]


class StudyFiles(Case):
    pass
