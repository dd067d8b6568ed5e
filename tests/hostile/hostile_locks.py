# SPDX-License-Identifier: Apache-2.0
"""Somebody else's hands on the locks of CPUs, on a history and on copies of builds: what a run
does beside them."""
import fcntl
import os
import random
import signal
import sqlite3
import struct
import tempfile
from pathlib import Path

from hostile_tool import GEMM, Started, environment, need, run_case, timeout_of

FILE = "simdbench-cpus.lock"
REGION, PID_BYTES, CPUS_MAX = 1 << 32, 16, 1024
TICKETS = CPUS_MAX * REGION
F_OFD_SETLK = 37
CPU = max(os.sched_getaffinity(0))
RUN = [*GEMM, "--baseline=none", f"--cpu={CPU}", "--json=run.json"]
DONE, BUSY, BAD = {0}, {6}, {2}


def lock(fd, start, length, kind=fcntl.F_WRLCK):
    fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi4x", kind, os.SEEK_SET, start, length, 0))


def whole(fd):
    lock(fd, 0, 0)


def held(fd):
    lock(fd, CPU * REGION, 1)


def ticket(number):
    def take(fd):
        lock(fd, CPU * REGION + number, 1)
        lock(fd, TICKETS + number, 1)
    return take


def tickets(fd):
    """Every other one, as if 5,000 runs waited."""
    for number in range(1, 10000, 2):
        ticket(number)(fd)


def all_tickets(fd):
    lock(fd, TICKETS, REGION)


def stopped(fd):
    """A run that waits and looked last when the machine was started."""
    os.pwrite(fd, b"1".ljust(PID_BYTES), (CPUS_MAX + 3) * PID_BYTES)
    ticket(3)(fd)


# name: what another process has locked, statuses with --wait=no and with --wait=0.1, words
HELD = {
    "whole": (whole, BUSY, "is locked by a program", "place 1 in the queue"),
    "cpu": (held, BUSY, "is measured on by another", "place 1 in the queue"),
    "first-ticket": (ticket(1), BUSY, "is next for another", "place 2 in the queue"),
    "last-ticket": (ticket(9999), BUSY, "is next for another", None),
    "tickets": (tickets, BUSY, "is next for another", None),
    "stopped": (stopped, DONE, "", None),
    "all-tickets": (all_tickets, DONE, "", None),
}


def beside_lock(context, take, statuses, word, place):
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        file = os.open(Path(folder) / FILE, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            take(file)
            for wait in ["--wait=no", "--wait=0.1"]:
                started, _ = run_case([context.program, *RUN, timeout_of(), wait], statuses,
                                      env=environment(SIMDBENCH_LOCKS=folder))
                text = started.err.decode()
                need(word in text, f"no '{word}' in {text!r}")
                need("place 1000" not in text, text)
                need(not place or wait == "--wait=no" or place in text, text)
        finally:
            os.close(file)


def odd_file(context, data):
    """It is full of anything: that changes no lock."""
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        (Path(folder) / FILE).write_bytes(data)
        run_case([context.program, *RUN, timeout_of(), "--wait=no"], DONE,
                 env=environment(SIMDBENCH_LOCKS=folder))


def odd_kind(context, make):
    """What is no file of its own is left alone."""
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        make(Path(folder) / FILE)
        started, _ = run_case([context.program, *RUN, timeout_of(), "--wait=no"], DONE,
                              env=environment(SIMDBENCH_LOCKS=folder))
        need(b"not locked against other runs" in started.err, f"{started.err}")


KINDS = {
    "folder": lambda path: path.mkdir(),
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "fifo": os.mkfifo,
    "second-name": lambda path: (path.with_name("other").write_text("text"),
                                 os.link(path.with_name("other"), path)),
    "loop": lambda path: path.symlink_to(path),
}


def history(context, begin, reader):
    """A database that another process has locked is a file that cannot be used."""
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        path = Path(folder) / "h.sqlite"
        option = f"--history={path}"
        run_case([context.program, *RUN[:-1], timeout_of(), option], DONE)
        with sqlite3.connect(path, isolation_level=None) as database:
            database.execute(begin)
            words = ["history", option] if reader else [*RUN[:-1], timeout_of(), option]
            statuses = DONE if reader and "EXCLUSIVE" not in begin else BAD
            started, _ = run_case([context.program, *words], statuses)
            need(statuses == DONE or b"another process keeps it locked" in started.err,
                 f"{started.err}")


def killed_gate(context, number):
    """The next gate leaves nothing of one that was killed, nor of itself."""
    module = context.build / "tests/modules/pace.so"
    with tempfile.TemporaryDirectory(prefix="simdbench-") as temporary:
        env = environment(TMPDIR=temporary)
        env["ASAN_OPTIONS"] += ":handle_segv=0"  # the signal comes from here
        words = [context.program, "ab", module, module, "twice", "--sizes=100", "--threshold=90%",
                 "--rounds=1", timeout_of()]
        with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
            started = Started([*words, "--processes=1000"], folder, env=env)
            while started.process.poll() is None and not list(Path(temporary).glob("*/control")):
                os.sched_yield()
            os.kill(started.process.pid, number)
            started.wait({-number, 128 + number})
        run_case([*words, "--processes=8"], DONE, env=env)
        need(not os.listdir(temporary), f"left: {os.listdir(temporary)}")


def attacks(context):
    for name, case in HELD.items():
        yield f"held-{name}", lambda case=case: beside_lock(context, *case)
    for name, make in KINDS.items():
        yield f"kind-{name}", lambda make=make: odd_kind(context, make)
    chance = random.Random(context.seed)
    for n in range(20):
        data = chance.randbytes(chance.choice([0, 1, 15, 16 * CPUS_MAX, 16 * CPUS_MAX + 100, 70000]))
        yield f"bytes-{n}", lambda data=data: odd_file(context, data)
    for begin in ("BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"):
        for reader in (False, True):
            name = f"history-{begin.split()[1].lower()}-{'read' if reader else 'write'}"
            yield name, lambda b=begin, r=reader: history(context, b, r)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
        yield f"gate-{number.name}", lambda n=number: killed_gate(context, n)
