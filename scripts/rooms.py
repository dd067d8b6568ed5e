# SPDX-License-Identifier: Apache-2.0
"""The rooms of the program, who may include whom, and who does.

    python3 scripts/rooms.py [ROOT]            a table: files, lines, arrows between rooms
    python3 scripts/rooms.py --check [ROOT]    names each forbidden include and each circle

A room is a folder whose header of the same name is all that others see of it. It includes
the rooms in its line below, and nothing else of them.
"""
import re
import sys
from pathlib import Path

LEAVES = ["base", "kernels", "perfctr", "inspect", "surgery", "passport", "declare", "reports"]
# Lowest first; within a wing a room includes rooms above its own line only.
ROOMS = {
    "base": [],
    "kernels": ["base"],
    "perfctr": ["base"],
    "inspect": ["base"],
    "surgery": ["base"],
    "passport": ["base"],
    "declare": ["base"],
    "reports/stats": ["base"],
    "reports/text": ["base", "reports/stats"],
    "reports/study": ["base", "reports/stats", "reports/text"],
    "reports/model": ["base", "reports/stats", "reports/text", "reports/study"],
    "reports/judge": ["base", "reports/model", "reports/stats", "reports/study", "reports/text"],
    "reports/readings": ["base", "reports/model", "reports/text"],
    "reports/json": ["base", "reports/readings", "reports/judge", "reports/model", "reports/study",
                     "reports/text"],
    "reports/tables": ["base", "reports/judge", "reports/model", "reports/stats",
                       "reports/study", "reports/text"],
    "reports/export": ["base", "reports/judge", "reports/model", "reports/stats",
                       "reports/study", "reports/text"],
    "reports/fleet": ["base", "reports/model", "reports/stats", "reports/text"],
    "reports/history": ["base", "reports/judge", "reports/model", "reports/text"],
    "reports/html": ["base", "reports/json", "reports/model", "reports/text"],
    "reports": ["base", "reports/stats", "reports/text", "reports/study", "reports/model",
                "reports/judge", "reports/readings", "reports/json", "reports/tables", "reports/export",
                "reports/fleet", "reports/history", "reports/html"],
    "cmd/process": LEAVES,
    "cmd/case": [*LEAVES, "cmd/process"],
    "cmd/request": [*LEAVES, "cmd/process", "cmd/case"],
    "cmd/cli": [*LEAVES, "cmd/process", "cmd/case", "cmd/request"],
    "cmd/declared": LEAVES,
    "cmd/worker": [*LEAVES, "cmd/process", "cmd/declared"],
    "cmd/costs": [*LEAVES, "cmd/process", "cmd/worker"],
    "cmd/plan": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/worker"],
    "cmd/measure": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/worker", "cmd/plan"],
    "cmd/ab": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/worker", "cmd/plan", "cmd/measure"],
    "cmd/harness": [*LEAVES, "cmd/process", "cmd/request", "cmd/worker", "cmd/plan", "cmd/measure",
                    "cmd/ab"],
    "cmd/output": [*LEAVES, "cmd/process", "cmd/request", "cmd/cli", "cmd/worker", "cmd/plan",
                   "cmd/measure"],
    "cmd/foreign": [*LEAVES, "cmd/process", "cmd/request", "cmd/cli", "cmd/plan", "cmd/output"],
    "cmd/doctor": [*LEAVES, "cmd/process", "cmd/request", "cmd/cli", "cmd/worker", "cmd/costs", "cmd/output"],
    "cmd/license": [*LEAVES, "cmd/process", "cmd/request", "cmd/cli", "cmd/plan", "cmd/measure",
                    "cmd/output"],
    "cmd/variant": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/worker", "cmd/costs", "cmd/plan",
                    "cmd/measure"],
    "cmd/explain": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/cli", "cmd/worker", "cmd/costs", "cmd/plan",
                    "cmd/measure", "cmd/output", "cmd/variant"],
    "cmd/referee": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/cli", "cmd/declared", "cmd/worker", "cmd/plan",
                    "cmd/measure", "cmd/output", "cmd/explain"],
    "cmd/studies": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/cli", "cmd/worker", "cmd/plan",
                    "cmd/measure", "cmd/output", "cmd/variant"],
    "cmd/commands": [*LEAVES, "cmd/process", "cmd/case", "cmd/request", "cmd/cli", "cmd/declared", "cmd/worker", "cmd/plan",
                     "cmd/measure", "cmd/ab", "cmd/harness", "cmd/output",
                     "cmd/variant", "cmd/explain", "cmd/studies"],
    "cmd": [*LEAVES, "cmd/process", "cmd/worker", "cmd/foreign", "cmd/doctor", "cmd/license",
            "cmd/referee", "cmd/studies", "cmd/commands"],
}
# Headers that a leaf shows beside the one that is named like it.
PUBLIC = {"base": {"decode.h", "error.h", "files.h", "half.h", "hash.h", "json_fault.h", "never.h", "numbers.h",
                   "word_distance.h", "words.h"},
          "cmd/ab": {"ab.h", "private_copy.h"},
          "reports/text": {"fields.h", "text.h"},
          "surgery": {"insn.h", "surgery.h"},
          "inspect": {"findings.h", "inspect.h", "program.h"},
          "declare": {"declare.h", "elf_image.h", "library_files.h"},
          "kernels": {"core/op_row.h", "core/split.h", "core/team.h", "kernels.h", "simdbench.h"}}
# Folders of a leaf in which compilers search, too.
SEARCHED = ["kernels/core"]
# Leaves whose folders see each other's headers.
SHELVES = ["inspect", "perfctr"]
GENERATED = {"commit.h", "tanh/tanh_tables.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def room_of(folder):
    """The innermost room that holds a folder; folders inside a leaf are no rooms."""
    while folder and folder not in ROOMS:
        folder = folder.rpartition("/")[0]
    return folder


def sources(root):
    """(room, path) of all files, in the order of the table."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.[ch]")):
            if room_of(path.parent.relative_to(root).as_posix()) == room:
                yield room, path


def resolve(root, path, name):
    """The file that an include means, as the compiler searches."""
    wing = path.relative_to(root).parts[0]
    shelves = sorted(f for f in (root / wing).iterdir() if f.is_dir()) if wing in SHELVES else []
    for folder in [path.parent, root / wing, *shelves,
                   *(root / name for name in LEAVES + SEARCHED)]:
        if (folder / name).is_file():
            return folder / name
    return None


def is_public(root, room, target):
    name = target.relative_to(root / room).as_posix()
    return name in PUBLIC.get(room, {room.rpartition("/")[2] + ".h"})


def read(root):
    """Arrows {(from, to): count}, sizes {room: (files, lines)}, complaints."""
    arrows, sizes, complaints = {}, {}, []
    for room, path in sources(root):
        text = path.read_text(encoding="utf-8")
        files, lines = sizes.get(room, (0, 0))
        sizes[room] = (files + 1, lines + text.count("\n"))
        for name in INCLUDE.findall(text):
            where = f"{path.relative_to(root)}: \"{name}\""
            target = resolve(root, path, name)
            if not target:
                if name not in GENERATED:
                    complaints.append(f"{where} is no file of this program")
                continue
            other = room_of(target.parent.relative_to(root).as_posix())
            if other == room:
                continue
            arrows[room, other] = arrows.get((room, other), 0) + 1
            if other not in ROOMS[room]:
                complaints.append(f"{where}: room {room} may not include room {other}")
            elif not is_public(root, other, target):
                complaints.append(f"{where} is private to room {other}")
    return arrows, sizes, complaints


def circles(arrows):
    """Rooms that reach themselves, whatever the table allows."""
    reached = {room: {b for a, b in arrows if a == room} for room in ROOMS}
    for middle in ROOMS:
        for room in ROOMS:
            if middle in reached[room]:
                reached[room] |= reached[middle]
    return [room for room in ROOMS if room in reached[room]]


def main(arguments):
    check = "--check" in arguments
    roots = [a for a in arguments if a != "--check"]
    root = Path(roots[0] if roots else Path(__file__).resolve().parents[1]).resolve()
    arrows, sizes, complaints = read(root)
    complaints += [f"room {room} is part of a circle" for room in circles(arrows)]
    if check:
        print(*complaints, sep="\n", end="\n" if complaints else "", file=sys.stderr)
        return 1 if complaints or not sizes else 0
    print(f"{'room':16} {'files':>5} {'lines':>6}  includes (number of #include lines)")
    for room, (files, lines) in sizes.items():
        below = ", ".join(f"{b} {n}" for (a, b), n in arrows.items() if a == room)
        print(f"{room:16} {files:5} {lines:6}  {below}")
    print(f"{len(sizes)} rooms, {len(arrows)} arrows, {sum(arrows.values())} includes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
