# SPDX-License-Identifier: Apache-2.0
"""qemu_pmu.py KERNEL BUILD SYSROOT: boots what qemu-pmu made, judges what the guest prints."""
import gzip
import json
import re
import subprocess
import sys
import time
from pathlib import Path

BOOTS = 2
TIMEOUT = 600
# One instruction a cycle and a nanosecond: only so does QEMU count instructions at all.
QEMU = ["qemu-system-aarch64", "-M", "virt", "-cpu", "neoverse-n1", "-smp", "1", "-m", "512",
        "-icount", "shift=0,sleep=off", "-nographic", "-nodefaults", "-serial", "stdio",
        "-no-reboot", "-append", "console=ttyAMA0 rdinit=/init panic=-1 quiet"]
GUEST = "/bin/pmu_guest"
RUN = ("/bin/simdbench gemm --isa=scalar --sizes=16 --baseline=none --time-per-case=2ms "
       "--rounds=6 --format=json --quiet")
GEMM = f"{RUN} --events=cycles,instructions,arm_n1::inst_retired,cache-misses"
# More events than counters: names of two counts that are known from GEMM.
CYCLES = ["cycles", "r11", "r011", "arm_n1::cpu_cycles"]
INSTRUCTIONS = ["instructions", "arm_n1::inst_retired"] + [f"r{'0' * k}8" for k in range(10)]
TURNS = f"{RUN} --multiplex --events={','.join(CYCLES + INSTRUCTIONS)}"
OFF_MAX = 0.02  # of a scaled count, from the true one
DOCTOR = "/bin/simdbench doctor --format=json"
PROOFS = "/bin/simdbench doctor counters --format=json"


class Failure(Exception):
    pass


def needed(binary, sysroot, found):
    """The shared libraries of a program, by name, and theirs, added to `found`."""
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-p", binary], check=True, text=True,
                          capture_output=True).stdout
    for name in re.findall(r"NEEDED +(\S+)", text):
        if name not in found:
            found[name] = next(path for folder in ("lib", "usr/lib") for path in
                               (sysroot / folder / "aarch64-linux-gnu" / name,
                                sysroot / folder / name) if path.exists())
            needed(found[name], sysroot, found)
    return found


def archive(files):
    """A compressed cpio archive (newc) of {path: bytes} and /dev/console."""
    out = bytearray()

    def entry(path, mode, data=b"", rdev=(0, 0)):
        name = path.encode() + b"\0"
        fields = [len(out) + 1, mode, 0, 0, 1, 0, len(data), 0, 0, *rdev, len(name), 0]
        out.extend(b"070701" + b"".join(b"%08x" % field for field in fields) + name)
        out.extend(bytes(-len(out) % 4))
        out.extend(data)
        out.extend(bytes(-len(out) % 4))

    for folder in sorted({parent for path in [*files, "dev/console"]
                          for parent in map(str, Path(path).parents) if parent != "."}):
        entry(folder, 0o040755)
    entry("dev/console", 0o020600, rdev=(5, 1))
    for path, data in files.items():
        entry(path, 0o100755, data)
    entry("TRAILER!!!", 0)
    return gzip.compress(bytes(out), 1)


def boot(kernel, files, commands, number):
    """Runs the commands in a fresh guest: [(exit status, output)] in their order."""
    initrd = kernel.parent / "initrd"
    files = {**files, "commands": "".join(f"{c}\n" for c in commands).encode()}
    initrd.write_bytes(archive(files))
    why = ""
    try:
        done = subprocess.run([*QEMU, "-kernel", kernel, "-initrd", initrd],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=TIMEOUT)
        log = done.stdout
    except subprocess.TimeoutExpired as expired:
        log = expired.stdout or b""
        why = f"the guest hung for {TIMEOUT} s"
    log = re.sub(r"[^\n]*\x1b\[K", "", log.decode(errors="replace").replace("\r", ""))  # progress
    (kernel.parent / f"console-{number}.log").write_text(log)
    ran = re.findall(r"^guest: begin \S+\n(.*?)\nguest: end (\d+)$", log, re.M | re.S)
    if why or len(ran) != len(commands) or "\nguest: done\n" not in log:
        print(log)
        raise Failure(why or "the guest ended early")
    return [(int(status), output) for output, status in ran]


def guest(number, score, status, output):
    """Takes over the checks of pmu_guest; returns what every boot must print alike."""
    for word, rest in re.findall(r"^(ok|failed) (.*)", output, re.M):
        if number == 0 or word == "failed":
            score.add(rest, word == "ok")
    if status != 0:
        score.add(f"{GUEST}: exit status {status}\n{output}", False)
    return re.findall(r"^count .*", output, re.M)


def document(status, output):
    if status != 0:
        raise Failure(f"exit status {status}\n{output}")
    return json.loads(output[re.search(r"^[{\[]", output, re.M).start():])


def successes(run):
    for result in run["results"]:
        if result["status"] != "ok":
            raise Failure(f"{result['id']}: {result['status']}: {result['reason']}")
        yield result


def gemm(run):
    """Every case has counts, of instructions the same in each batch."""
    if not any(r["role"] == "kernel" for r in run["results"]):
        raise Failure("no kernel ran")
    for result in successes(run):
        counters = result["counters"]
        for name in ("cycles", "instructions"):
            if counters[name].get("running_share") != 1 or not counters[name]["value"] > 0:
                raise Failure(f"{result['id']}: {name}: {counters[name]}")
        counts = counters["instructions"]["samples"]
        if len(counts) < 2 or len(set(counts)) != 1:
            raise Failure(f"{result['id']}: instructions of each batch: {counts}")
        if counters["arm_n1::inst_retired"]["samples"] != counts:
            raise Failure(f"{result['id']}: {counters['arm_n1::inst_retired']}, not {counts}")
        cycles, ns = counters["cycles"]["value"], result["summary"]["median_ns"]
        if not 0.98 < cycles / ns / result["clock"]["ghz"] < 1.02:
            raise Failure(f"{result['id']}: {cycles} cycles in {ns} ns")
        if any(counters[name]["verdict"] != "proven" or counters[name]["doubt"]
               for name in ("cycles", "instructions")):
            raise Failure(f"{result['id']}: {counters}")
        if "PMU does not count the event" not in counters["cache-misses"].get("absent", ""):
            raise Failure(f"{result['id']}: cache-misses: {counters['cache-misses']}")


def scaled(run, exact):
    """Events took turns, and came close to what the run counted in which none had to."""
    known = {result["id"]: result["counters"] for result in exact["results"]}
    shares = []
    for result in successes(run):
        for name in CYCLES + INSTRUCTIONS:
            counter = result["counters"][name]
            true = known[result["id"]]["cycles" if name in CYCLES else "instructions"]["value"]
            if "absent" in counter or abs(counter["value"] / true - 1) > OFF_MAX:
                raise Failure(f"{result['id']}: {name}: {counter}, not {true}")
            shares.append(counter["running_share"])
            if counter["threads"] != 1:
                raise Failure(f"{result['id']}: {name}: {counter}")
    if not run["settings"]["multiplex"] or not 0.2 < min(shares) < 0.8 or max(shares) > 1:
        raise Failure(f"running shares: {shares}")


def doctor(checks):
    pmu = next(check for check in checks["checks"] if check["check"] == "PMU")
    if not pmu["ok"]:
        raise Failure(f"{pmu}")


def proofs(found):
    """What the emulator counts is proven; what it has no model of is not believed."""
    verdicts = {row["event"]: row["verdict"] for row in found["events"]}
    if found["slots"]["live"] != found["slots"]["announced"]:
        raise Failure(f"{found['slots']}")
    for name, verdict in verdicts.items():
        if (verdict == "proven") != (name in ("cycles", "instructions")):
            raise Failure(f"{name}: {verdict}")
    if verdicts["BR_MIS_PRED_RETIRED"] != "dead":
        raise Failure(f"{verdicts}")


class Score:
    passed = failed = 0

    def add(self, name, passed):
        self.passed += passed
        self.failed += not passed
        print(f"{'ok' if passed else 'failed'} {name}")

    def check(self, name, judge, status, output):
        try:
            judge(document(status, output))
            self.add(name, True)
        except (Failure, AttributeError, LookupError, TypeError, ValueError) as error:
            self.add(f"{name}: {error!r}", False)


def test(kernel, build, sysroot, score):
    programs = [build / "simdbench", build / "tests/pmu_guest"]
    files = {f"bin/{path.name}": path.read_bytes() for path in programs}
    files["init"] = (build / "tests/qemu_init").read_bytes()
    libraries = {}
    for path in programs:
        needed(path, sysroot, libraries)
    libraries["ld-linux-aarch64.so.1"] = sysroot / "lib/ld-linux-aarch64.so.1"
    files.update({f"lib/{name}": path.read_bytes() for name, path in libraries.items()})

    counts = []
    for number in range(BOOTS):
        first = number == 0
        ran = boot(kernel, files, [GUEST, GEMM, TURNS, DOCTOR, PROOFS] if first else [GUEST], number)
        counts.append(guest(number, score, *ran[0]))
        if first:
            score.check("simdbench gemm", gemm, *ran[1])
            score.check("simdbench gemm --multiplex",
                        lambda run: scaled(run, document(*ran[1])), *ran[2])
            score.check("simdbench doctor", doctor, *ran[3])
            score.check("simdbench doctor counters", proofs, *ran[4])
    same = bool(counts[0]) and all(c == counts[0] for c in counts)
    score.add(f"{BOOTS} boots count the same" if same else f"boots differ: {counts}", same)


def main(kernel, build, sysroot):
    started = time.monotonic()
    score = Score()
    try:
        test(kernel, build, sysroot, score)
    except Failure as error:
        score.add(str(error), False)
    failed = f", {score.failed} failed" if score.failed else ""
    print(f"qemu-pmu: {score.passed} checks passed{failed} "
          f"in {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
