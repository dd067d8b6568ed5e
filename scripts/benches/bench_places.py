# SPDX-License-Identifier: Apache-2.0
"""What 16 places modulo 64 do to the time of kernels: scripts/bench places [--help].

Each case is one worker. All places and the code as built take turns in rounds; the table
shows medians of the ratio to the best place.
"""
import argparse
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys

SIZES = {"relu": ["100", "4096"], "tanh": ["100", "1024"], "gemm": ["32", "64"],
         "conv": ["n1c8h8w8k8r1s1", "n1c16h14w14k16r3s3p1q1"]}
ALIGN, GAP = 4096, 512


class Worker:
    """One end of docs/protocol.md."""

    def __init__(self, program, module):
        self.socket, theirs = socket.socketpair()
        self.memory = os.memfd_create("operands")
        arguments = [program, "worker", f"--parent={os.getpid()}", *module]

        def descriptors():
            os.dup2(theirs.fileno(), 13)
            os.dup2(self.memory, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(arguments, preexec_fn=descriptors,
                                        close_fds=False, stdin=subprocess.DEVNULL)
        theirs.close()
        self.lines = self.socket.makefile("r")
        self.number = 0
        hello = json.loads(self.lines.readline())
        if not hello.get("ok"):
            raise RuntimeError(hello.get("error"))

    def ask(self, verb, **fields):
        self.number += 1
        request = {"do": verb, "id": self.number, **fields}
        self.socket.sendall((json.dumps(request) + "\n").encode())
        line = self.lines.readline()
        if not line:
            raise RuntimeError(f"the worker died at {verb}")
        reply = json.loads(line)
        if not reply["ok"]:
            raise RuntimeError(reply["error"])
        return reply

    def end(self):
        self.process.kill()
        self.process.wait()
        self.socket.close()
        os.close(self.memory)


def prepare(worker, number, kernel, text):
    """The number of the case."""
    shape = worker.ask("shape", op=kernel["op"], type=kernel["type"], text=text,
                       **({"layout": kernel["layout"]} if "layout" in kernel else {}))
    at = ALIGN
    for operand in shape["operands"]:
        size = 8 if operand["type"].endswith("64") else 4
        operand["offset"] = at
        at += int(operand["count"]) * size + GAP
        at = (at + ALIGN - 1) // ALIGN * ALIGN + 64 * (at // ALIGN % 32)
    n, block = int(shape["operands"][-1]["count"]), (at // ALIGN + 1) * ALIGN
    answers = 8 * n
    os.ftruncate(worker.memory, block + 2 * answers)
    worker.ask("setup", cpus=[sorted(os.sched_getaffinity(0))[-1]], events=[])
    worker.ask("map", bytes=str(block + 2 * answers), block=str(block), dims=shape["dims"],
               operands=shape["operands"], threads=1)
    worker.ask("fill", op=kernel["op"], seed="1")
    places = {"n": n, "value": str(block), "slack": str(block + answers)}
    worker.ask("reference", op=kernel["op"], semiring=kernel.get("semiring"), full=True,
               seed="1", ops=shape["ops"], **places)
    case = worker.ask("prepare", kernel=str(number))["case"]
    return case, places


def measure(worker, case, places, arguments, rng):
    """(reply of copies, medians as built and at all places), in ns a call."""
    copies = worker.ask("copies", case=case, n=arguments.places)
    arms = list(range(arguments.places + 1))
    for arm in arms:
        worker.ask("check", case=case, copy=arm, **places)
    one = worker.ask("batch", case=case, iterations=100)["ns"] / 100
    calls = max(1, int(arguments.batch_us * 1000 / max(one, 1)))
    times = [[] for _ in arms]
    for _ in range(arguments.rounds):
        rng.shuffle(arms)
        for arm in arms:
            reply = worker.ask("batch", case=case, iterations=calls, copy=arm)
            times[arm].append(reply["ns"] / calls)
    return copies, [statistics.median(t) for t in times]


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench places", description=__doc__)
    parser.add_argument("program", help=argparse.SUPPRESS)
    parser.add_argument("--module", default="", help="FILE.so[,NAME=VALUE]...")
    parser.add_argument("--filter", default="", help="a regular expression of ids")
    parser.add_argument("--sizes", help="shapes, separated by spaces")
    parser.add_argument("--places", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--batch-us", type=float, default=60)
    arguments = parser.parse_args()
    rng = random.Random(1)
    path, *options = arguments.module.split(",")
    module = [path] if path else []
    for option in options:
        module += option.split("=", 1)
    worker = Worker(arguments.program, module)
    describe = worker.ask("describe")
    worker.end()
    print(f"{'case':52} {'ns':>9} {'spread':>7} {'built':>7} {'shift 0':>7}  copied")
    defaults = {op["name"]: [re.sub("(?<=[0-9])Ki?$", "000", re.split("[,.]", op["default_shapes"])[0],
                                    flags=re.I)] for op in describe["ops"]}
    for number, kernel in enumerate(describe["kernels"]):
        row = "/".join(["-".join(filter(None, [kernel.get("semiring"), kernel["type"]])),
                        kernel["isa"], kernel["variant"]])
        shapes = (arguments.sizes.split() if arguments.sizes
                  else SIZES.get(kernel["op"]) or defaults.get(kernel["op"], []))
        for text in shapes:
            name = f"{kernel['op']}/{row}@{text}"
            if not re.search(arguments.filter, name) or kernel["op"] == "roof":
                continue
            if not arguments.filter and kernel.get("flags"):
                continue
            worker = Worker(arguments.program, module)
            try:
                case, places = prepare(worker, number, kernel, text)
                copies, times = measure(worker, case, places, arguments, rng)
            except RuntimeError as error:
                print(f"{name:52} {error}", flush=True)
                continue
            finally:
                worker.end()
            best, worst = min(times[1:]), max(times[1:])
            print(f"{name:52} {best:9.1f} {100 * (worst / best - 1):6.1f}%"
                  f" {100 * (times[0] / best - 1):6.1f}% {100 * (times[1] / times[0] - 1):+6.1f}%"
                  f"  {copies['functions']} functions, {100 * copies['share']:.0f}%"
                  + (f", not {copies['why_left']}" if int(copies["left"]) else ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
