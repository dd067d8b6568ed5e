# SPDX-License-Identifier: Apache-2.0
"""No text of a file, a module or a command line acts on a terminal or on CI."""
import collections

from cli_tool import BINARY, SOURCE, Case, sys

sys.path.append(str(SOURCE / "tests/hostile"))
import hostile_texts  # noqa: E402


class Texts(Case):
    def test_texts_are_escaped(self):
        build = collections.namedtuple("Build", "build program")(BINARY.parent, BINARY)
        for name, attack in hostile_texts.attacks(build):
            with self.subTest(name):
                attack()
