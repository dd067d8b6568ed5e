# SPDX-License-Identifier: Apache-2.0
"""What the command-line tests share: the program, its JSON, golden files."""
import functools
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests/formats"), *map(str, (SOURCE / "tests/cli").glob("*/"))]
BINARY = Path(os.environ.get("SIMDBENCH", SOURCE / "build/test/simdbench")).resolve()
MODULES = BINARY.parent / "tests/modules"
# Tests run side by side and do not wait for each other.
os.environ["SIMDBENCH_LOCKS"] = ""
# nohup and a shell's `&` ignore signals, others block them, and children would inherit
# that. (Python itself restores SIGPIPE and SIGXFSZ in them.)
for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT
                  else signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
QEMU = shutil.which("qemu-x86_64")
UPDATE = False
# Cases that differ by numbers alone: one of so many runs, as in tests/support/effort.h.
EFFORT = int(os.environ.get("SIMDBENCH_EFFORT") or 1)

# One fast way to run: no library, few rounds.
SHORT = ["--time-per-case=2ms", "--rounds=6"]
SMALL = ["gemm", "--isa=scalar", "--sizes=8", "--baseline=none", *SHORT]


# Seconds after which something hangs, on any machine.
PATIENCE = 600


@functools.cache
def sanitized():
    return b"__asan_init" in BINARY.read_bytes()


@functools.cache
def schema_of_runs():
    import jsonschema
    schema = json.loads((SOURCE / "reports/json/schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    return validator(schema)


# Findings about this machine go to a cache that is not the user's.
CACHE = tempfile.TemporaryDirectory(prefix="simdbench-cache-")


# Times are made up: no other program that runs on the machine decides a test. Row "bad" of
# the modules takes four times what row "good" takes.
MADE_UP = "1,bad=4"


def environment(**more):
    """The caller's, without what changes output."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("NO_COLOR", "COLUMNS", "SIMDBENCH_MODULES")}
    return {**env, "TERM": "dumb", "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": CACHE.name,
            "XDG_STATE_HOME": CACHE.name, "SIMDBENCH_PROJECT": "no",
            "SIMDBENCH_TEST_CLOCK": MADE_UP, "SIMDBENCH_TEST_COSTS": "", **more}


def compile_library(folder, name, *arguments, **more):
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not compiler:
        raise unittest.SkipTest("needs a C compiler")
    path = folder / name
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-pthread", "-o", path, *arguments],
                   check=True, text=True, **more)
    return path


@functools.cache
def tracing():
    """The check of tracing, as doctor tells it; asked once, as doctor starts all libraries."""
    done = subprocess.run([BINARY, "doctor", "--format=json"], check=True, text=True,
                          stdout=subprocess.PIPE, env=environment())
    return next(check for check in json.loads(done.stdout)["checks"]
                if check["check"] == "tracing")


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = self.new_folder()

    def new_folder(self):
        folder = tempfile.TemporaryDirectory(prefix="simdbench-")
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def need_tracing(self):
        if not tracing()["ok"]:
            self.skipTest(tracing()["value"])

    def run_tool(self, *arguments, status=0, before=(), timeout=PATIENCE, env=None, **more):
        """Runs simdbench, checks its exit status unless that is None, returns the finished
        process."""
        done = subprocess.run([*before, BINARY, *arguments], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=timeout,
                              env=env or environment(), **more)
        self.assertIn(status, (done.returncode, None),
                         f"simdbench {' '.join(map(str, arguments))}\n"
                         f"{done.stdout}\n{done.stderr}")
        return done

    def run_json(self, *arguments, **more):
        """The same with --json: the document, checked against the schema."""
        path = self.folder / "run.json"
        self.run_tool(*arguments, f"--json={path}", **more)
        return self.load(path)

    def long_run(self, *arguments, stderr=subprocess.DEVNULL):
        """A run that takes long, when it has begun to write run.json."""
        path = self.folder / "run.json"
        process = subprocess.Popen(
            [BINARY, "gemm", "--isa=scalar", "--sizes=8..512", "--time-per-case=400ms",
             "--quiet", f"--json={path}", *arguments], text=True,
            stdout=subprocess.DEVNULL, stderr=stderr, env=environment(),
            start_new_session=True)
        self.wait_for(path.exists, process)
        return process

    def wait_for(self, what, process=None):
        """Returns when something is true, while the process lives."""
        deadline = time.monotonic() + PATIENCE
        while not what():
            self.assertLess(time.monotonic(), deadline, what)
            if process:
                self.assertIsNone(process.poll())
            time.sleep(0.01)

    def wait_for_workers(self, process):
        """Returns when the process has some."""
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        self.wait_for(lambda: children.exists() and children.read_text(), process)

    def on_terminal(self, *arguments, stream="stdout", width=0, **env):
        """What a run prints on one."""
        try:
            main, terminal = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal: {error}")
        termios.tcsetwinsize(terminal, (24, width))
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        process = subprocess.Popen([BINARY, *arguments], **{**streams, stream: terminal},
                                   env=environment(TERM="xterm", **env))
        os.close(terminal)
        text = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(main)
        self.assertEqual(process.wait(PATIENCE), 0)
        return text

    def assert_narrow(self, *arguments):
        """Words of what is printed keep within a terminal of 80 columns; the text. A command
        between ` or ' is one word, and a word may be longer."""
        text = self.on_terminal(*arguments, width=80).decode().replace("\r\n", "\n")
        text = re.sub(r"\x1b\[\d*m", "", text)
        for line in text.splitlines():
            words = re.findall(r"(?:`[^`]*`|'[^']*'|[^ `'])+", line.removesuffix(" \\"))
            if len(words) > 1:
                self.assertLessEqual(len(line), 80, line)
        return text

    def load(self, path):
        document = json.loads(Path(path).read_text(encoding="utf-8"))
        if sanitized():
            return document  # scripts/test compares what these tests write with the schema
        try:
            schema = schema_of_runs()
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema.validate(document)
        return document

    def assert_golden(self, name, text):
        path = SOURCE / "tests/golden" / name
        if UPDATE:
            path.write_text(text, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        self.assertEqual(text, expected, f"golden file {name}; if the new text is right: "
                                         "python3 tests/cli/cli.py --update")


def plain(text):
    """Replaces what differs from build to build and machine to machine."""
    for pattern, placeholder in (
            (r"commit: ([0-9a-f]{7,40}(-dirty|\+)?|unknown)", "commit: <commit>"),
            (r"(?m)^(compiler|flags): .*", r"\1: <\1>"),
            (r"(needs about|,) [0-9.e+]+ GB", r"\1 <number> GB"),
            (r"looked in [^)]*", "looked in <folders>"),
            (re.escape(str(BINARY.parent)), "<build>"),
            (re.escape(str(SOURCE)), "<source>"),
            (r"/\S*/simdbench-[a-z0-9_]{8}", "<folder>")):
        text = re.sub(pattern, placeholder, text)
    return text


def kernels(document, **fields):
    """Results that are no roofs, those that have the given fields."""
    return [r for r in document["results"] if r.get("role") != "roof"
            and all(r.get(k) == v for k, v in fields.items())]


def measured(document):
    """Those that have times."""
    return kernels(document, status="ok")
