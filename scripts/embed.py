# SPDX-License-Identifier: Apache-2.0
"""embed.py OUT.c HEADER ARRAY FILE...: texts as a C array of names (those of files, without
.json) and texts, so that the program needs no folder of its own to find them."""
import sys
from pathlib import Path


def main(out, header, array, *paths):
    lines = ["/* Made by scripts/embed.py. */", f'#include "{header}"', ""]
    rows = []
    for number, path in enumerate(sorted(Path(p) for p in paths)):
        # One more byte: the text ends with zero.
        values = ",".join(str(byte) for byte in path.read_bytes() + b"\0")
        lines.append(f"static const char text_{number}[] = {{{values}}};")
        rows.append(f'    {{"{path.name.removesuffix(".json")}", text_{number}}},')
    lines += ["", f"const {array}[] = {{", *rows, "    {0},", "};", ""]
    Path(out).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
