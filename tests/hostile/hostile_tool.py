# SPDX-License-Identifier: Apache-2.0
"""What the attacks share: a program that is started, ends, and is looked at."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/cli"), str(ROOT / "tests/formats")]

# One fast run, and one of a second or two.
SHORT = ["--time-per-case=2ms", "--rounds=6"]
GEMM = ["gemm", "--isa=scalar", "--sizes=8", *SHORT]
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
# Commands to CI in a log; the format annotations writes some of its own.
COMMAND = re.compile(rb"##[a-z]*\[|^\s*::(?!(?:error|warning|notice) title=)", re.M)
# Seconds after which something hangs, on any machine.
PATIENCE = 600
SANITIZER_STATUS = 99
# Looks at a session that ends, 20 ms and more apart. A machine that stands still, or runs
# others first, delays the look as it delays the end.
LEFT_LOOKS = 6000
MOST_PRINTED = 1 << 20


def need(good, what):
    if not good:
        raise AssertionError(what)


# --timeout alone ends these acts. Others may answer late on a busy machine.
ENDLESS = ("hang", "stop", "silence", "close", "read-socket", "fork-hang", "vfork-hang",
           "more-slowly", '{"ns": 1000, "cpu_ns": 1000}')
LATE = re.compile(r"no\s+answer\s+to\s+'[^']*'\s+within\s+\S+\s+s\s+\(--timeout\)")
again = threading.local()


def timeout_of(act=""):
    seconds = 5 if act.partition(":")[2] in ENDLESS else 60
    return f"--timeout={seconds * getattr(again, 'patience', 1)}s"


def patiently(act):
    """Does an act; if an answer came late, does it again and waits five times as long. A hang
    is late again, a machine that stood still is not."""
    again.patience = 1
    try:
        return act()
    except AssertionError as error:
        if not LATE.search(str(error)):
            raise
    again.patience = 5
    return act()


# Findings about this machine go to a cache that is not the user's.
CACHE = tempfile.TemporaryDirectory(prefix="simdbench-cache-")


def environment(**more):
    """The caller's, without what changes output. A sanitizer's report has a status of its
    own. Runs do not wait for each other."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("NO_COLOR", "COLUMNS", "SIMDBENCH_MODULES", "SIMDBENCH_HISTORY")}
    options = f"exitcode={SANITIZER_STATUS}:allocator_may_return_null=1"
    return {**env, "TERM": "dumb", "LC_ALL": "C.UTF-8", "SIMDBENCH_LOCKS": "",
            "XDG_CACHE_HOME": CACHE.name, "XDG_STATE_HOME": CACHE.name, "ASAN_OPTIONS": options,
            "UBSAN_OPTIONS": f"halt_on_error=1:exitcode={SANITIZER_STATUS}", **more}


def is_killed(status):
    """SIGKILL has reached it, and the system has not ended it yet."""
    return any(int(pending, 16) >> signal.SIGKILL - 1 & 1
               for pending in re.findall(r"^(?:Sig|Shd)Pnd:\s*(\w+)", status, re.M))


def session(leader):
    """The processes of a session that go on: neither zombies nor killed."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] != "Z" and not is_killed(
                    (path / "status").read_text(errors="replace")):
                found.append(int(path.name))
        except OSError:
            continue
    return found


def described(pid):
    """The process's command, its state, and who waits for whom."""
    told = []
    for name in "cmdline", "wchan", "status":
        try:
            text = Path(f"/proc/{pid}/{name}").read_text(errors="replace").replace("\0", " ")
        except OSError:
            continue
        told += ([text] if name != "status" else
                 re.findall(r"^(?:State|PPid|TracerPid|Threads|\w+Pnd|Seccomp):.*", text, re.M))
    return f"{pid} ({', '.join(told)})"


def end_session(leader):
    for pid in session(leader):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Started:
    """A program in a session and a folder of its own; what it prints goes to files there."""

    def __init__(self, command, folder, **more):
        self.folder = Path(folder)
        self.logs = tempfile.TemporaryDirectory(prefix="simdbench-")
        self.paths = [Path(self.logs.name) / name for name in ("out", "err")]
        out, err = (open(path, "wb") for path in self.paths)
        try:
            self.process = subprocess.Popen(
                [*map(str, command)], start_new_session=True,
                **{"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err,
                   "cwd": self.folder, "env": environment(), **more})
        finally:
            out.close()
            err.close()

    def wait(self, statuses):
        """The status, which is one of these; nothing is left of it, and nothing that it
        printed is a sanitizer's or controls a terminal."""
        pid = self.process.pid
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it still ran after {PATIENCE} s") from None
        finally:
            for _ in range(LEFT_LOOKS if self.process.returncode is not None else 0):
                if not session(pid):
                    break
                time.sleep(0.02)
            left = [described(process) for process in session(pid)]
            end_session(pid)
            self.process.wait()
            self.out, self.err = (path.read_bytes() for path in self.paths)
            self.logs.cleanup()
        text = self.err.decode(errors="replace")
        need(status != SANITIZER_STATUS and f"=={pid}==" not in text,
             f"sanitizer: {text[-2000:]}")
        rows_told = self.out.decode(errors="replace")[-2000:]
        need(status in statuses,
             f"status {status}, not {sorted(statuses)}: {text[-500:]}\n{rows_told}")
        need(not left, f"processes are left: {'; '.join(left)}")
        for data in self.out, self.err:
            found = RAW.search(data.replace(b"\r\n", b"\n"))
            need(not found, f"raw control bytes: {found and data[max(found.start() - 80, 0):found.end() + 20]}")
            found = COMMAND.search(data)
            need(not found, f"a command to CI: {found and data[found.start():found.end() + 80]}")
            need(len(data) < MOST_PRINTED, f"{len(data)} bytes were printed")
        return status

    def document(self, name="run.json"):
        """The run that was saved, or None. It is strict JSON."""
        path = self.folder / name
        return strict(path.read_bytes()) if path.exists() else None


def strict(data):
    def constant(name):
        raise AssertionError(f"{name} is no JSON")
    try:
        return json.loads(data, parse_constant=constant)
    except ValueError as error:
        raise AssertionError(f"no JSON: {error}") from None


def run_case(command, statuses, **more):
    """Starts and ends it: (the program, its run or None)."""
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        started = Started(command, folder, **more)
        started.wait(statuses)
        return started, started.document()


def rows(document, **fields):
    """Results with these fields."""
    return [r for r in document["results"] if all(r.get(k) == v for k, v in fields.items())]
