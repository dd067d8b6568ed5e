# SPDX-License-Identifier: Apache-2.0
"""The half that all baselines in Python share: a worker as docs/protocol.md wants it.

A baseline describes its library and lists kernels; main() does the rest. This file needs
nothing but Python, so that a missing library can be reported; what needs NumPy is in
baseline_operands.py.
"""
import ctypes
import errno
import gc
import itertools
import json
import mmap
import os
import resource
import signal
import socket
import sys
import time
from types import SimpleNamespace

SOCKET_FD, MEMORY_FD = 3, 4
PR_SET_PDEATHSIG = 1
CALL_COST = "the interpreter's call cost is inside"

libc = ctypes.CDLL(None, use_errno=True)


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, code, text, **fields):
        super().__init__(text)
        self.code = code
        self.fields = fields


def unsupported(reason):
    return Refusal(errno.EOPNOTSUPP, reason)


def wrong(text):
    return Refusal(errno.EDOM, text, wrong=True)


def told(**fields):
    return {name: value for name, value in fields.items() if value is not None}


class Kernel:
    """One row. prepare(problem) returns a Case, or raises unsupported(reason). problem has
    dims, operands (see baseline_operands.Operand) and threads."""

    def __init__(self, op, type_name, variant, prepare, semiring=None, layout=None):
        self.row = told(op=op, type=type_name, isa="lib", variant=variant,
                        semiring=semiring, layout=layout)
        self.prepare = prepare


def rows(op, variant, prepare, semiring=None):
    """A row for each type of floats."""
    return [Kernel(op, t, variant, prepare, semiring=semiring) for t in ("f32", "f64")]


class Case:
    """A kernel with its operands: run() does the work. What is not None goes into the
    report: implementation, isa, note, workspace_bytes."""

    def __init__(self, run, note=CALL_COST, **choice):
        self.run = run
        self.choice = {"note": note, **choice}
        self.batches = 0
        self.left_modes = False  # its calls left rounding or flush-to-zero modes changed


class Library:
    """What a baseline offers."""

    def __init__(self, kernels, **description):
        self.kernels = kernels
        self.description = description  # version, core, isa, detail, advice

    def set_threads(self, threads):
        """Before prepare: how many threads run() may use."""


# ---- measuring ----

def usage():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_minflt, used.ru_majflt, used.ru_nvcsw, used.ru_nivcsw


TASKS = "/proc/self/task"
REST_TRIES, REST_SECONDS = 250, 0.0001


def thread_times():
    """CPU time of each thread, and how long it was ready but had no CPU, in ns."""
    times = {}
    for task in os.listdir(TASKS):
        try:
            with open(f"{TASKS}/{task}/schedstat", encoding="ascii") as file:
                waited = int(file.read().split()[1])
            # As pthread_getcpuclockid() makes it: bit 2 says thread, 2 the scheduler's.
            ran = time.clock_gettime_ns((~int(task) << 3) | 4 | 2)
        except (OSError, IndexError, ValueError):
            continue
        times[task] = (ran, waited)
    return times


def rest():
    """Returns when no other thread works any more: a library may let them spin."""
    def others():
        return time.process_time_ns() - time.thread_time_ns()
    for _ in range(REST_TRIES):
        ran, began = others(), time.perf_counter_ns()
        time.sleep(REST_SECONDS)
        if others() - ran < (time.perf_counter_ns() - began) / 20:
            return


def place(cpus):
    """The caller on the first CPU, helpers on the others in turn."""
    own, following = os.getpid(), itertools.cycle(cpus[1:])
    for task in sorted(map(int, os.listdir(TASKS))):
        os.sched_setaffinity(task, [cpus[0] if task == own else next(following)])


def measure_team(run, iterations, room):
    """The same with what the threads of a process do that has several."""
    before = thread_times()
    sample = measure(run, iterations)
    after = thread_times()
    spent = [(ran - before.get(task, (0, 0))[0], waited - before.get(task, (0, 0))[1])
             for task, (ran, waited) in after.items()]
    sample["threads_busy"] = sum(ran >= sample["ns"] / 10 for ran, _ in spent)
    sample["waited_ns"] = max(waited for _, waited in spent) if room and spent else 0
    rest()
    return sample


def measure(run, iterations):
    """The one loop that is timed. Time is read next to the work, all else outside."""
    turns = itertools.repeat(None, iterations)
    cpu = libc.sched_getcpu
    now = time.perf_counter_ns
    used = usage()
    process = time.process_time_ns()
    thread = time.thread_time_ns()
    cpu_begin = cpu()
    begin = now()
    for _ in turns:
        run()
    end = now()
    cpu_end = cpu()
    sample = {"ns": end - begin, "cpu_ns": time.thread_time_ns() - thread,
              "process_ns": time.process_time_ns() - process,
              "migrated": cpu_begin != cpu_end}
    names = "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches"
    sample.update(zip(names, (b - a for a, b in zip(used, usage()))))
    return sample


def float_modes_changed():
    """True if this thread rounds otherwise than to nearest, or drops subnormals."""
    one, least = float(1), sys.float_info.min
    part = sys.float_info.epsilon / 8
    return least / 2 == 0 or one + part != one or one - part != one


# ---- requests ----

def whole(request, name, otherwise=None):
    value = request.get(name, otherwise)
    if value is None:
        raise Refusal(errno.EINVAL, f"{request.get('do')} needs {name}")
    return int(value)


class Worker:
    """Answers requests: each method do_<verb> returns the fields of its answer."""

    def __init__(self, name, library, tools):
        self.tools = tools  # the module baseline_operands
        self.name = name
        self.baseline = library
        self.events, self.cpus = 0, []
        self.forget()

    def forget(self):
        self.cases = []
        self.memory = None
        self.problem = SimpleNamespace(dims=[], operands=[], threads=1)

    def answer(self, request):
        verb = request.get("do")
        method = getattr(self, f"do_{verb}", None)
        try:
            if not method:
                raise Refusal(errno.ENOSYS, f"{self.name} brings no op and cannot '{verb}'")
            return {"ok": True, **method(request)}
        except Refusal as refusal:
            return {"ok": False, "errno": refusal.code, "error": str(refusal),
                    **refusal.fields}
        except OSError as error:
            return {"ok": False, "errno": error.errno or errno.EIO, "error": str(error)}
        except Exception as error:  # a library may raise anything
            text = str(error).strip().splitlines() or [""]
            return {"ok": False, "errno": errno.EIO,
                    "error": f"{type(error).__name__}: {text[0]}"}

    def do_describe(self, _):
        return {"name": self.name, **told(**self.baseline.description), "ops": [],
                "kernels": [kernel.row for kernel in self.baseline.kernels]}

    def do_setup(self, request):
        cpus = [int(cpu) for cpu in request.get("cpus", [])]
        for task in os.listdir(TASKS) if cpus else []:
            os.sched_setaffinity(int(task), cpus)
        self.cpus = cpus
        self.events = len(request.get("events", []))
        return {"passes": 1} if self.events else {}

    def do_map(self, request):
        self.forget()
        gc.collect()  # the old mapping goes with the last view of it
        if request.get("huge"):
            raise unsupported(f"{self.name} runs in an interpreter, which cannot have its "
                              "operands on 2 MiB pages")
        size = whole(request, "bytes")
        if size:
            self.memory = mmap.mmap(MEMORY_FD, size)
            self.memory[::mmap.PAGESIZE]  # fault every page in now, not in a batch
        self.problem.dims = [int(dim) for dim in request.get("dims", [])]
        self.problem.threads = whole(request, "threads", 1)
        self.problem.operands = [
            self.tools.Operand(self.memory, item) for item in request.get("operands", [])]
        return {}

    def do_prepare(self, request):
        kernel = self.baseline.kernels[whole(request, "kernel")]
        self.baseline.set_threads(self.problem.threads)
        begin = time.perf_counter_ns()
        case = kernel.prepare(self.problem)
        end = time.perf_counter_ns()
        self.cases.append(case)
        return {"case": len(self.cases) - 1, "prepare_ns": end - begin,
                **told(**case.choice)}

    def case_of(self, request):
        number = whole(request, "case")
        if not 0 <= number < len(self.cases):
            raise Refusal(errno.EINVAL, f"there is no case {number}")
        return self.cases[number]

    def do_check(self, request):
        case = self.case_of(request)
        try:
            self.check(case, request, self.answers(request))
        except Refusal as refusal:
            if refusal.code == errno.EDOM and request.get("again"):
                plural = "es" if case.batches > 1 else ""
                raise wrong(f"right at first, wrong after {case.batches} batch{plural}: "
                            f"{refusal}") from None
            raise
        reply = {"threads_alive": len(os.listdir(TASKS))}
        if case.left_modes:
            reply["note"] = "leaves rounding or flush-to-zero modes changed"
        return reply

    def check(self, case, request, answers):
        operands = self.problem.operands
        self.tools.guard(operands)
        if request.get("again"):
            self.tools.spoil(operands, answers, whole(request, "seed", 0))
        else:
            self.tools.poison(operands)
        before = self.tools.fingerprint(operands)
        case.run()
        case.left_modes |= float_modes_changed()
        damaged = self.tools.damaged(operands)
        if damaged is not None:
            raise wrong(f"wrote outside operand {damaged}")
        if self.tools.fingerprint(operands) != before:
            raise wrong("wrote to an input")
        text = answers and self.tools.compare(answers.output, answers)
        if text:
            raise wrong(text)

    def answers(self, request):
        """The right answers in the shared memory, if there are any."""
        output = next((o for o in self.problem.operands if o.is_output), None)
        n = whole(request, "n", 0)
        if not n or not output:
            return None
        return self.tools.Answers(self.memory, output, n, index=request.get("index"),
                                  value=whole(request, "value"),
                                  slack=whole(request, "slack"))

    def do_overhead(self, request):
        if request.get("cold"):
            raise unsupported(f"{self.name} runs in an interpreter, which cannot empty the "
                              "caches between calls")
        samples = sorted(measure(lambda: None, 20000)["ns"] for _ in range(15))
        return {"ns": samples[7] / 20000}

    def do_batch(self, request):
        case = self.case_of(request)
        iterations = whole(request, "iterations")
        if iterations < 1 or request.get("cold"):
            raise Refusal(errno.EINVAL, "batch: no iterations, or cold")
        case.run()
        threads, cpus = self.problem.threads, self.cpus
        if threads > 1 and len(cpus) > 1:
            place(cpus)
        if len(os.listdir(TASKS)) > 1:
            sample = measure_team(case.run, iterations, not cpus or threads <= len(cpus))
        else:
            sample = measure(case.run, iterations)
        case.batches += 1
        case.left_modes |= float_modes_changed()
        if self.events:
            why = f"{self.name} runs in an interpreter, which does not count events"
            sample["counts"] = [{"absent": why}] * self.events
        return sample


# ---- the process ----

def send(stream, message):
    stream.sendall(json.dumps(message, allow_nan=False).encode() + b"\n")


def start(name):
    """The parent blocked SIGINT and its like; its death ends the worker. Returns options."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if sys.argv[1:2] != [f"--parent={os.getppid()}"]:
        sys.exit(f"simdbench starts this program: simdbench OP --baseline={name}")
    words = sys.argv[2:]
    return dict(zip(words[::2], words[1::2]))


def make_worker(name, load, options, packages):
    """Imports what may be missing."""
    try:
        library = load(options)
        import baseline_operands
        return Worker(name, library, baseline_operands)
    except ImportError as error:
        module = (error.name or name).split(".")[0]
        package = packages.get(module, packages[name])
        raise Refusal(errno.ENOENT, f"{name} cannot start without Python's {module} "
                      f"({error}): apt-get install {package}") from None
    except (OSError, RuntimeError) as error:
        raise Refusal(errno.EIO, f"{name} cannot start: {error}") from None


def no_options(name, options, known=()):
    for option in options:
        if option not in known:
            raise Refusal(errno.EINVAL, f"{name} takes no option '{option}'" +
                          (f" (known: {', '.join(known)})" if known else ""))


def serve(worker, stream):
    for line in stream.makefile("rb"):
        request = json.loads(line)
        if request.get("do") == "quit":
            break
        send(stream, {**worker.answer(request), "id": request.get("id")})


def main(name, load, packages):
    """Serves until there are no more requests. load(options) imports what it needs and
    returns a Library; packages tells which Debian package each module comes in."""
    options = start(name)
    stream = socket.socket(fileno=SOCKET_FD)
    hello = {"ok": True, "hello": "simdbench-worker", "protocol": 1}
    try:
        worker = make_worker(name, load, options, packages)
    except Refusal as refusal:
        send(stream, {**hello, "ok": False, "errno": refusal.code, "error": str(refusal)})
        return 1
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        send(stream, hello)
        serve(worker, stream)
    except ConnectionError:
        pass  # the parent wants no more answers
    return 0
