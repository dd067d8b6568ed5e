# SPDX-License-Identifier: Apache-2.0
"""paths.py FILE...: paths of files that docs and comments name and that are not there.

A path has a folder at least: `room/file.c`. It may leave out the first folders of a file's.
"""
import re
import sys
from pathlib import Path

PATH = re.compile(r"(?<![\w./~$<{=:-])((?:[\w-]+/)+[\w-]+\.(?:c|h|def|py|sh|js|json|md|txt))(?![\w/])")
COMMENT = {".md": "", ".c": r"^ *(/\*|\*|//)|/\*", ".h": r"^ *(/\*|\*|//)|/\*", ".def": r"/\*|^ \*",
           ".py": r"#|\"\"\"", ".sh": "#", "": "#"}
# Files of users, in examples.
THEIRS = {"new/sample.json", "target/criterion/FOLDERS/new/sample.json", "src/mix.c",
          "results/b.json", "op/op.c", "op/op_isa.c"}


def main():
    files = sys.argv[1:]
    known = {tail for name in files for tail in
             ("/".join(name.split("/")[at:]) for at in range(name.count("/") + 1))}
    bad = 0
    for name in files:
        comment = COMMENT.get(Path(name).suffix)
        if comment is None or name.startswith(("tests/golden/", "tests/fuzz/corpus/")):
            continue
        for number, line in enumerate(Path(name).read_text(encoding="utf-8").splitlines(), 1):
            if not re.search(comment, line):
                continue
            for path in set(PATH.findall(line)) - known - THEIRS:
                print(f"{name}:{number}: there is no {path}")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
