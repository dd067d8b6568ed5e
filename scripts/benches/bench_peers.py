# SPDX-License-Identifier: Apache-2.0
"""bench_peers.py SIMDBENCH [NAME...]: the systems that the studies are about, or those of them,
each beside simdbench's kernels at the sizes of its own report, as a table in Markdown. A system
is a row of SYSTEMS."""
import re
import sys

from bench_run import Run

RELU = ["relu", "--isa=avx2", "--sizes=100,1000,10000,100000,1000000"]
TANH = ["tanh", "--isa=avx2", "--sizes=100,1000,10000,100000"]
GEMM = ["gemm", "--isa=avx2", "--semiring=maxtimes", "--sizes=256,1024", "--baseline=study"]
# Module, command, its rows, and simdbench's, the fastest of which it is compared with.
SYSTEMS = (
    ("tropical-gemm", ["gemm", "--isa=avx2", "--semiring=maxplus", "--sizes=64,128,256,512"],
     "workspace", r"gemm/maxplus-f32/"),
    ("trueno", RELU, "backend|vector", r"relu/"),
    ("trueno", TANH, "backend|vector", r"tanh/"),
    ("aprender-compute", RELU, "backend|slice|vector", r"relu/"),
    ("aprender-compute", TANH, "backend|vector", r"tanh/"),
    ("burn", ["conv", "--sizes=n1c16h512w512k16r3s3", "--layout=nchw"], ".*", r"conv/"),
    ("ndarray", GEMM, "into|dot", r"study:gemm/plustimes-f32/avx2/packed@"),
    ("matrixmultiply", GEMM, "sgemm", r"study:gemm/plustimes-f32/avx2/packed@"),
    ("torch", ["relu", "--isa=avx2", "--sizes=1048576"], "clamp_min", r"relu/"),
)


def microseconds(result):
    value = result["summary"]["median_ns"] / 1000
    return f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def rows(results, name, variants, ours):
    """Of each row of the system: its name, size and time, then the fastest kernel of ours, its
    time, and how many times faster it is."""
    for peer in results:
        if peer["module"] != name or not re.fullmatch(variants, peer["variant"]):
            continue
        head = [peer["id"].split("@")[0], peer["shape"]]
        if peer["status"] != "ok":
            yield [*head, peer["status"], "", "", ""]
            continue
        rivals = [(own["summary"]["median_ns"], own, ratio)
                  for own in results if re.match(ours, own["id"]) and own["status"] == "ok"
                  for ratio in own["ratios"] if ratio["baseline"] == peer["id"]]
        if not rivals:
            yield [*head, microseconds(peer), "", "", "noisy"]
            continue
        _, own, ratio = min(rivals, key=lambda rival: rival[0])
        low, high = ratio["ci"] or (None, None)
        interval = f" [{low:.3g}, {high:.3g}]" if low else ""
        yield [*head, microseconds(peer), own["id"].split("@")[0], microseconds(own),
               f"{ratio['speedup']:.3g}{interval}"]


def main(program, *names):
    print("| system's row | size | its time, us | simdbench's row | its time, us "
          "| system / simdbench, 95% |\n|---|---|---|---|---|---|")
    versions, document = {}, None
    for name, command, variants, ours in SYSTEMS:
        if names and name not in names:
            continue
        run = Run(program, *command, f"--baseline={name}", passes=())
        if not run.document:  # it could not begin: without the module, say
            print(run.errors, file=sys.stderr, end="")
            continue
        document = run.document
        for row in rows(document["results"], name, variants, ours):
            print("| " + " | ".join(row) + " |", flush=True)
        versions |= {result["module_version"]: None for result in document["results"]
                     if result["module"] == name}
    if not document:
        sys.exit("bench peers: nothing was measured")
    host, tool = document["host"], document["tool"]
    print(f"\n{host['cpu']} ({host['uarch']}), one thread, simdbench {tool['version']}, commit "
          f"{tool['commit']}: {'; '.join(filter(None, versions))}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
