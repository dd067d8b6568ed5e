# SPDX-License-Identifier: Apache-2.0
"""licences.py FILE...: fails for each file whose licence nobody says: neither a line with
SPDX-License-Identifier among its first five, nor a pattern of REUSE.toml. Patterns that no
file needs fail too."""
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = re.compile(rb"SPDX-License-Identifier: Apache-2\.0\b")


def pattern(glob):
    """As REUSE has it: * stays within a folder, ** does not."""
    parts = re.split(r"(\*\*|\*)", glob)
    return re.compile("".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part))
                              for part in parts))


def has_header(path):
    with open(ROOT / path, "rb") as file:
        return any(HEADER.search(file.readline()) for _ in range(5))


def main(files):
    with open(ROOT / "REUSE.toml", "rb") as file:
        globs = [glob for annotation in tomllib.load(file)["annotations"]
                 for glob in annotation["path"]]
    bare = [path for path in files if not has_header(path)]
    covered = {glob: [path for path in bare if pattern(glob).fullmatch(path)]
               for glob in globs}
    unknown = set(bare).difference(*covered.values())
    for path in sorted(unknown):
        print(f"{path}: no line SPDX-License-Identifier: Apache-2.0", file=sys.stderr)
    unused = [glob for glob, paths in covered.items() if not paths]
    for glob in unused:
        print(f"REUSE.toml: no file needs {glob}", file=sys.stderr)
    return 1 if unknown or unused or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
