# SPDX-License-Identifier: Apache-2.0
"""Limits and odd surroundings. A shell makes them: $0 is an empty folder, where the program
starts, and "$@" the program with a short run that is saved."""
import os
import re
import shutil
import tempfile
from pathlib import Path

from hostile_tool import GEMM, Started, need, strict

RUN = [*GEMM, "--baseline=none", "--json=run.json"]
DISK = "mount -t tmpfs -o size=%s none $0 && cd $0 && "
NO_LEAKS = "export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0; "  # whose search needs more
# Statuses of a run that was saved, one that could not be, and one that is either.
DONE, NOT, EITHER = {0}, {2}, {0, 2}

# name: shell command, exit statuses, what standard error says, arguments after the run's
CASES = {
    "plain": ('exec "$@"', DONE, ""),
    "no-home": ('exec env -u HOME "$@"', DONE, ""),
    "no-tmpdir": ('exec env TMPDIR=/nowhere "$@"', DONE, ""),
    "no-environment": ('exec env -i SIMDBENCH_LOCKS= "$@"', DONE, ""),
    "bad-xdg": ('exec env XDG_CACHE_HOME=/proc XDG_CONFIG_HOME=/dev/null HOME=/dev/null "$@"',
                DONE, ""),
    "bad-history": ('exec env SIMDBENCH_HISTORY=/proc/x "$@"', DONE, ""),
    "bad-modules": ('exec env SIMDBENCH_MODULES=/dev/null:/proc::// "$@"', DONE, ""),
    "no-locks": ('exec env SIMDBENCH_LOCKS=/nowhere "$@"', DONE, "are not locked"),
    "bad-locks": ('exec env SIMDBENCH_LOCKS=/proc "$@"', DONE, "are not locked"),
    "locale": ('exec env LC_ALL=de_DE.UTF-8 LANG=de_DE "$@"', DONE, ""),
    "locale-odd": ('exec env LC_ALL=$(printf "x%.0s" {1..5000}) "$@"', DONE, ""),
    "term-unset": ('exec env -u TERM "$@"', DONE, ""),
    "term-dumb": ('exec env TERM=dumb "$@"', DONE, ""),
    **{f"columns{n}": (f'exec env COLUMNS={n} "$@"', DONE, "")
       for n in ("", "0", "1", "-1", "99999999999999999999", "x")},
    "tmpdir-long": ('exec env TMPDIR=/$(printf "x%.0s" {1..5000}) "$@"', DONE, ""),
    "locks-file": ('touch $0/l; exec env SIMDBENCH_LOCKS=$0/l "$@"', DONE, "are not locked"),
    "locks-long": ('exec env SIMDBENCH_LOCKS=/$(printf "x%.0s" {1..5000}) "$@"', DONE,
                   "are not locked"),
    "loader": ('exec env LD_BIND_NOW=1 LD_PRELOAD= MALLOC_PERTURB_=85 MALLOC_ARENA_MAX=1 "$@"',
               DONE, ""),
    "no-children": ('exec env --ignore-signal=CHLD "$@" --prove', DONE, ""),
    "blocked": ('exec env --block-signal=CHLD,USR1,PIPE,TRAP "$@" --prove', DONE, ""),
    "no-privileges": ('exec setpriv --no-new-privs "$@" --prove', DONE, ""),
    "session": ('exec setsid -w "$@" --prove', DONE, ""),
    "umask": ('umask 0777; exec "$@"', DONE, ""),
    "cwd-gone": ('mkdir gone; cd gone; rmdir ../gone; exec "$@"', NOT, "run.json.*No such file"),
    "cwd-gone-absolute": ('mkdir gone; cd gone; rmdir ../gone; exec "$@" --json=$0/run.json',
                          NOT, ""),
    "stdin-closed": ('exec "$@" <&-', DONE, ""),
    "stdout-closed": ('exec "$@" >&-', NOT, "Bad file descriptor"),
    "stderr-closed": ('exec "$@" 2>&-', DONE, ""),
    "all-closed": ('exec "$@" <&- >&- 2>&-', NOT, ""),
    "stdout-full": ('exec "$@" >/dev/full', NOT, "No space left on device"),
    "stderr-full": ('exec "$@" 2>/dev/full', DONE, ""),
    "json-full": ('exec "$@" --markdown=/dev/full', NOT, "No space left on device"),
    "reader-left": ('set -o pipefail; "$@" --sizes=8..64 | true', {141}, ""),
    "stdout-folder": ('exec "$@" < /', DONE, ""),
    "read-only": ('mount -t tmpfs -o ro none $0 && cd $0 && exec "$@"', NOT,
                  "run.json.*Read-only file system"),
    "disk-full": (DISK % "16k" + 'dd if=/dev/zero of=filler bs=4k status=none 2>/dev/null; '
                  'exec "$@"', NOT, "run.json.*No space left on device"),
    "no-inodes": ('mount -t tmpfs -o nr_inodes=1 none $0 && cd $0 && exec "$@"', NOT,
                  "run.json.*No space left on device"),
    "no-sys": ('mount -t tmpfs none /sys && exec "$@"', DONE, ""),
    "no-shm": ('mount -t tmpfs -o ro none /dev/shm && exec "$@"', DONE, ""),
    "no-dev": ('mount -t tmpfs none /dev && exec "$@"', EITHER, ""),
    "no-network": ('exec unshare --net "$@"', DONE, ""),
    "core": ('ulimit -c unlimited; exec "$@"', DONE, ""),
    "files-5": ('ulimit -n 5; exec "$@"', EITHER, ""),
    "files-12": ('ulimit -n 12; exec "$@"', EITHER, ""),
    "size": ('set -o pipefail; prlimit --fsize=0 "$@" 2>&1 >/dev/null | cat >&2', NOT,
             "run.json.*File too large"),
    "stack-soft": ('ulimit -Ss 64; exec "$@"', DONE, ""),
    "stack-1m": ('ulimit -s 1024; exec "$@"', DONE, ""),
    "locked": ('ulimit -l 0; exec "$@"', DONE, ""),
    "signals": ('ulimit -i 0; exec "$@"', DONE, ""),
    "nice": ('exec nice -n 19 "$@"', DONE, ""),
    "cpu": ('ulimit -t 1; exec "$@" --sizes=64..512 --time-per-case=2s',
            {-24, -9, 4, 2, 0}, ""),
    "one-cpu": ('exec taskset -c 0 "$@"', DONE, ""),
    "processes": (NO_LEAKS + 'chmod 777 $0; exec setpriv --reuid=65534 --clear-groups prlimit --nproc=0 '
                  '"$@"', NOT, "Resource temporarily unavailable"),
    "nobody": ('exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"', NOT,
               "run.json.*Permission denied"),
    "huge-argument": ('exec "$@" --filter=$(printf "x%.0s" {1..100000})', {0, 2, 5}, ""),
    "many-arguments": ('exec "$@" $(printf -- "--filter=* %.0s" {1..20000})', DONE, ""),
    "dangling-json": ('ln -s /nowhere/x run.json; exec "$@"', NOT, "run.json.*No such file"),
    "loop-json": ('ln -s run.json run.json; exec "$@"', NOT, "run.json.*symbolic links"),
    "folder-json": ('mkdir run.json; exec "$@"', NOT, "run.json.*Is a directory"),
    "pipe-json": ('mkfifo p; cat p >/dev/null & exec "$@" --json=p', DONE, ""),
}
# A sanitizer cannot start with so little; another build can.
PLAIN_CASES = {
    **{f"stack-{n}k": (f'ulimit -s {n}; exec "$@"', NOT, "stack is limited")
       for n in (48, 64, 80, 96, 112, 128, 256)},
    "stack-600k": ('ulimit -s 600; exec "$@"', DONE, ""),
    "no-proc": ('mount -t tmpfs none /proc && exec "$@"', NOT, "cannot start a worker"),
    "memory-1g": ('ulimit -v 1000000; exec "$@"', DONE, ""),
    "memory-30m": ('ulimit -v 30000; exec "$@"', EITHER, ""),
    "memory-10m": ('ulimit -v 10000; exec "$@" --sizes=1000', {0, 2, 4, 127}, ""),
    "data": ('ulimit -d 1000; exec "$@"', EITHER | {4, 127}, ""),
}
CELL = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]


def attack(program, shell, statuses, says):
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        Path(folder).chmod(0o755)
        place = Path(folder) / "place"
        place.mkdir()
        copy = Path(folder) / "simdbench"  # where nobody else may look into the build
        shutil.copy(program, copy)
        command = [*CELL, "bash", "-c", shell, place, copy, *RUN]
        started = Started(command, place)
        status = started.wait(statuses)
        text = started.err.decode(errors="replace")
        need(re.search(says, text), f"standard error is {text!r}")
        for path in place.glob("run.json"):
            if path.is_file():
                path.chmod(0o600)
                strict(path.read_bytes())
        need(status or says or not started.err, f"standard error is {text!r}")
        need(not [p for p in place.iterdir() if p.name.startswith("core")], "a core file")


def attacks(context):
    for name, case in CASES.items():
        yield name, lambda case=case: attack(context.program, *case)
    plain = [p for p in (context.build.parent / n / "simdbench" for n in ("test", "release"))
             if p.exists()]
    for name, case in PLAIN_CASES.items() if plain else ():
        yield name, lambda case=case: attack(plain[0], *case)
