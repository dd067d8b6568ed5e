# SPDX-License-Identifier: Apache-2.0
"""embed_studies.py OUT.c [FILE.json...]: studies as a C array, so that the program needs no
folder of its own to find them."""
import sys
from pathlib import Path


def main(out, *paths):
    lines = ["/* Made by scripts/embed_studies.py. */", '#include "studies/studies_private.h"', ""]
    rows = []
    for number, path in enumerate(sorted(Path(p) for p in paths)):
        # One more byte: the text ends with zero.
        values = ",".join(str(byte) for byte in path.read_bytes() + b"\0")
        lines.append(f"static const char text_{number}[] = {{{values}}};")
        rows.append(f'    {{"{path.stem}", text_{number}}},')
    lines += ["", "const struct brought brought_studies[] = {", *rows, "    {0},", "};", ""]
    Path(out).write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
