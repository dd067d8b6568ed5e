# SPDX-License-Identifier: Apache-2.0
"""Signals at random moments, to the program or to one of its workers."""
import os
import pty
import random
import signal
import tempfile
import termios
import threading
import time
from pathlib import Path

from hostile_tool import Started, environment, need, rows

RUN = ["gemm", "--isa=scalar", "--sizes=8,12,16,20", "--time-per-case=40ms", "--baseline=none",
       "--json=run.json"]
COUNT, LONGEST = 200, 1.5
STOPS = ("INT", "TERM", "HUP", "QUIT")


def number(name):
    return getattr(signal, f"SIG{name}")


# signal, to whom: exit statuses beside 0. A worker that dies before it greets is an error.
PROGRAM = {**{name: {-number(name), 128 + number(name)} for name in STOPS},
           "PIPE": {-signal.SIGPIPE}, "USR1": {-signal.SIGUSR1}, "KILL": {-signal.SIGKILL},
           "STOP": set()}
WORKER = {**dict.fromkeys((*STOPS, "STOP"), {4}),
          **dict.fromkeys(("PIPE", "USR1", "KILL", "SEGV"), {2, 4})}


class Terminal:
    """A terminal of its own, whose settings a program must leave as they were."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.settings = termios.tcgetattr(self.slave)
        self.text = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while data := os.read(self.master, 65536):
                self.text += data
        except OSError:
            pass

    def close(self):
        after = termios.tcgetattr(self.slave)
        os.close(self.slave)
        self.reader.join()
        os.close(self.master)
        need(after == self.settings, "the terminal has other settings")
        need(self.text.count(b"\x1b[?25l") <= self.text.count(b"\x1b[?25h")
             and self.text.count(b"\x1b[?1049h") <= self.text.count(b"\x1b[?1049l"),
             "the terminal is not as it was")


def workers(pid):
    """Its workers. LeakSanitizer has a child too, with the command of the program: where it
    dies, the program ends as if it had leaked."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(n) for n in children
                if b"\0worker\0" in Path(f"/proc/{n}/cmdline").read_bytes()]
    except OSError:
        return []


def send(started, name, worker, chance):
    """False if there is nobody any more."""
    pids = workers(started.process.pid) if worker else [started.process.pid]
    if not pids or started.process.poll() is not None:
        return False
    try:
        pid = chance.choice(pids)
        os.kill(pid, number(name))
        if name == "STOP":
            time.sleep(0.2)
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return False
    return True


def attack(context, name, worker, on_terminal, seed):
    chance = random.Random(seed)
    moment = chance.random() ** 2 * LONGEST
    with tempfile.TemporaryDirectory(prefix="simdbench-") as folder:
        terminal = Terminal() if on_terminal else None
        more = {"stdout": terminal.slave, "stderr": terminal.slave} if terminal else {}
        try:
            started = Started([context.program, *RUN], folder, **more,
                              env=environment(TERM="xterm"))
            time.sleep(moment)
            sent = send(started, name, worker, chance)
            wanted = {0} | ((WORKER if worker else PROGRAM)[name] if sent else set())
            status = started.wait(wanted)
        finally:
            if terminal:
                terminal.close()
        left = [p.name for p in Path(folder).iterdir() if p.name != "run.json"]
        need(not left, f"files are left: {left}")
        document = started.document()
        need(document or status, "no JSON file")
        if document and not worker and name in STOPS and status:
            need(document["interrupted"] or status < 0, "not interrupted")
        if document and status == 4:
            need(rows(document, status="failed"), "no case has failed")


def attacks(context):
    kinds = [(name, False) for name in PROGRAM] + [(name, True) for name in WORKER]
    for i in range(COUNT):
        name, worker = kinds[i % len(kinds)]
        terminal = i // len(kinds) % 2 == 1
        title = f"{i} {name} to {'a worker' if worker else 'simdbench'}" + \
            (" on a terminal" if terminal else "")
        yield title, lambda n=name, w=worker, t=terminal, i=i: attack(
            context, n, w, t, context.seed * 1000 + i)
