#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/check.sh quick | slow | rest | full | CHECK...: what a change must pass. Stops at
# the first failure and prints the command that repeats it. The slow checks run side by side,
# and so do all of "rest", which are quick and slow ones.
# scripts/check.sh table: prints the rows of kernels/kernels.def for this CPU, one a line.
if [ -z "${BASH_VERSION:-}" ]; then
    exec bash "$0" "$@"
fi
set -euo pipefail
here=$(readlink -f "${BASH_SOURCE[0]}")
source "${here%/*}/lib.sh"
cd "$root"
export LANG=C.UTF-8 LC_ALL=C.UTF-8 SIMDBENCH_PROJECT=no

quick=(format text paths licences shell layers rooms headers subject symbols)
# Three at a time in this order, as they also wait; nothing in them is measured. The longest is
# first.
slow=(asan gcc valgrind tidy arm64 hostile fuzz old_cpu newcomer)
leaves=(base kernels perfctr inspect surgery passport declare reports)

# Files of the repository and those that will join it.
files() {
    git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
        [[ ! -f $file ]] || printf '%s\n' "$file"
    done
}

# reject REASON PATTERN FILE...: no line may match.
reject() {
    local reason=$1 pattern=$2
    shift 2
    if [[ $# -gt 0 ]] && grep -HnP -e "$pattern" -- "$@" >&2; then
        say "$reason"
        return 1
    fi
}

check_format() {
    files '*.c' '*.h' | xargs -r clang-format-19 --dry-run -Werror
}

check_text() {
    local all indented c lines file
    mapfile -t all < <(files . | grep -Ev '^LICENSE$|^tests/(fuzz/corpus|golden)/')
    mapfile -t c < <(files '*.c' '*.h' '*.def')
    # A makefile needs tabs.
    mapfile -t indented < <(printf '%s\n' "${all[@]}" | grep -vx packaging/debian/rules)
    reject 'tabs' '\t' "${indented[@]}"
    reject 'trailing spaces' '[ \r]$' "${all[@]}"
    reject 'invisible Unicode' \
        '[\x{a0}\x{ad}\x{200b}-\x{200f}\x{2028}-\x{202f}\x{2060}-\x{2069}\x{feff}]' "${all[@]}"
    reject 'paths of one machine' '/(home|root|Users)/[a-z]' "${all[@]}"
    reject 'dead code' '^\s*#\s*if\s+0\b' "${c[@]}"
    # All files at once: a program for each takes twenty times as long.
    file=$(awk 'FNR == 1 && !/SPDX-License-Identifier: Apache-2.0/ {print FILENAME}' "${c[@]}")
    [[ -z $file ]] || {
        say "${file//$'\n'/ }: the first line is no SPDX line"
        return 1
    }
    [[ $(tail -qc 1 -- "${all[@]}" | tr -cd '\n' | wc -c) -eq ${#all[@]} ]] || {
        for file in "${all[@]}"; do
            [[ -z $(tail -c 1 "$file") ]] || say "$file: no newline at the end"
        done
        return 1
    }
    wc -l "${c[@]}" | while read -r lines file; do
        [[ $lines -le 450 || $file == *.def || $file == total ]] ||
            say "warning: $file has $lines lines"
    done
    files . | grep -E '\.[ch]$' | sed 's|.*/||' | sort | uniq -d | grep . >&2 && {
        say 'names of files must be unique'
        return 1
    }
    return 0
}

# Files that docs and comments name are there.
check_paths() {
    files . | xargs python3 scripts/paths.py
}

# Every file says its licence, itself or in REUSE.toml.
check_licences() {
    files . | tr '\n' '\0' | xargs -0 python3 scripts/licences.py
}

check_shell() {
    files scripts .ci docs/recipes tests/newcomer | while read -r file; do
        [[ $(head -n 1 "$file") != *bash* ]] || printf '%s\n' "$file"
    done | xargs -r shellcheck -x -P scripts
}

# Leaves leave printing and exits to cmd/.
check_layers() {
    local leaf c
    mapfile -t c < <(files '*.c' '*.h' '*.def')
    reject 'includes that climb' '#\s*include\s*"[^"]*\.\./' "${c[@]}"
    for leaf in "${leaves[@]}"; do
        mapfile -t c < <(files "$leaf/*.c" "$leaf/*.h")
        reject 'only cmd/ prints and exits' \
            '^(?!\s*(/?\*|//)).*\b((v?printf|puts|putchar|perror|exit|_exit|abort)\s*\(|std(out|err)\b)' \
            "${c[@]}"
    done
    # These write text of our own, or to memory, or make it plain themselves.
    mapfile -t c < <(files 'cmd/*.c' | grep -Ev \
        '/(help|page|command_(completion|new_plugin|selftest)|doctor_print|terminal|message|trusted|ab_places|service_copies|prove_report|explain_slow)\.c$')
    reject 'cmd/ prints by text_line(), which makes text plain' \
        '^(?!\s*(/?\*|//)).*\b(v?f?printf|f?puts|putchar|fputc)\s*\(' "${c[@]}"
}

# A room includes the rooms below it, by their public headers.
check_rooms() {
    python3 scripts/rooms.py --check
}

# Every public header compiles alone, with no other folder in sight.
check_headers() {
    local header folder include compiler=${CC:-clang-19}
    shopt -s nullglob
    local flags=(-fsyntax-only -Wall -Wextra -Werror -D_GNU_SOURCE)
    for header in base/*.h kernels/{kernels,simdbench}.h perfctr/perfctr.h \
        inspect/{findings,inspect}.h surgery/surgery.h passport/passport.h declare/{declare,library_files}.h \
        reports/reports.h reports/*/ cmd/*/; do
        folder=${header%%/*}
        # A room's header is named like its folder.
        [[ $header != */ ]] || header+=$(basename "$header").h
        include=(-Ibase "-I$folder")
        [[ $folder != cmd ]] || include+=(-Ikernels -Iperfctr -Iinspect -Ipassport -Ideclare -Ireports)
        "$compiler" -x c -std=gnu11 "${flags[@]}" "${include[@]}" - \
            <<<"#include \"${header#*/}\""
    done
    "$compiler" -x c -std=c99 -pedantic "${flags[@]}" -Ikernels - <<<'#include "simdbench.h"'
    g++ -x c++ -std=c++11 -pedantic "${flags[@]}" -Ikernels - <<<'#include "simdbench.h"'
}

# "folder: what", no final period, an empty second line.
check_subject() {
    local subject second
    subject=$(git log -1 --no-merges --format=%B | sed -n 1p)
    second=$(git log -1 --no-merges --format=%B | sed -n 2p)
    [[ $subject =~ ^[A-Za-z0-9_.,/\ -]+:\ [^\ ].*[^.]$ && ${#subject} -le 80 && -z $second ]] || {
        say "commit subject '$subject': wanted 'folder: what', no final period, at most" \
            "80 columns, then an empty line"
        return 1
    }
}

table() {
    "${CC:-clang-19}" -E -P -x c -D'OP(op)=OP(op)' -D'KERNEL(...)=KERNEL(__VA_ARGS__)' \
        kernels/kernels.def | sed -E 's/(OP|KERNEL)\(/\n&/g' |
        sed -E 's/ *, */, /g; s/ +$//; /^$/d'
}

# A file compiled for an ISA exports only its rows of kernels.def: other code could end up
# in any program. A file called scalar computes nothing side by side.
check_symbols() {
    local library op ops isa rows extra all found=0
    local packed='\bv?(add|sub|mul|div|max|min|sqrt|cmp[a-z]*|fn?m(add|sub)[0-9]+)p[sd]\b'
    build_test
    all=$(table)
    for library in build/test/kernels/lib*_*.a; do
        [[ $library =~ /lib(.+)_([a-z0-9]+)\.a$ ]] || continue
        op=${BASH_REMATCH[1]} isa=${BASH_REMATCH[2]}
        if [[ $isa == scalar ]] && objdump -d --no-show-raw-insn "$library" | grep -P "$packed" >&2; then
            say "$library computes on vectors"
            return 1
        fi
        [[ -f kernels/$op/$op.def ]] || continue
        ops=$(sed -nE 's/^OP\((.*)\)/\1/p' "kernels/$op/$op.def" | paste -sd'|')
        rows=$(sed -nE "s/^KERNEL\(($ops), ([a-z0-9_]*), ([a-z0-9]+), $isa, ([a-z0-9_]+),.*/\1_\2_\3_${isa}_\4/p" <<<"$all" |
            sed 's/__/_/' | sort)
        found=1
        extra=$(nm --defined-only --extern-only --format=posix "$library" |
            awk 'NF > 2 {print $1}' | sort -u | comm -23 - <(printf '%s\n' "$rows"))
        [[ -z $extra ]] || {
            say "$library exports what is no row of kernels.def:" "${extra//$'\n'/ }"
            return 1
        }
    done
    [[ $found -eq 1 ]] || {
        say 'no library of an op and ISA was found'
        return 1
    }
}

check_tests() {
    scripts/test
}

# The other compiler that README promises. Nobody runs its tests.
check_gcc() {
    CC=gcc build --unlinked gcc --buildtype=release --werror -Dtests=enabled
}

# tests_but BUILD PATTERN [MESON_ARGUMENT...]: sets `tests` to those of another name.
tests_but() {
    mapfile -t tests < <(meson test -C "$1" --list --no-rebuild "${@:3}" | sed 's|.* / ||' |
        grep -vxE "$2")
}

check_asan() {
    local tests
    build_asan
    export UBSAN_OPTIONS=print_stacktrace=1
    # Texts of the repository, a browser and Slurm are no business of the sanitizers'.
    tests_but build/asan 'cli_repository|html_browser|slurm_fleet|studies'
    SIMDBENCH_EFFORT=10 meson test -C build/asan --no-rebuild --print-errorlogs \
        "${tests[@]}" --timeout-multiplier 5 --num-processes $(($(nproc) + 1))
}

check_valgrind() {
    local log=build/test/meson-logs/valgrind-valgrind.json tests
    build_test
    rm -f "$log"
    # Valgrind knows neither true time nor the MXCSR and the x87 control word, has another error
    # for a program that is not there, its FMA makes -0 + -0 a +0, and a
    # program under it cannot start itself again as a worker. BLAS libraries keep memory for
    # good, and of a test in Python it sees the interpreter alone. Simulated gates, histories and
    # intervals are arithmetic, long and without a pointer; teams take turns on one CPU. A thirtieth of
    # the shapes and mutants will do: the sanitizers run more. Tests that trace skip themselves here. A handler of SIGSEGV
    # that returns needs all registers. A start takes a ninth less where nobody debugs or asks for
    # inlined calls.
    tests_but build/test 'test_(program|trace.*|surgery.*|perfctr_clock|perfctr_rates|gemm|blas|baselines|change_point|gate_rates|precision|split|team|thunk|thunk_rules|library_files)|.*schema|formats|studies' --no-suite cli
    SIMDBENCH_EFFORT=30 meson test -C build/test --no-rebuild --print-errorlogs \
        "${tests[@]}" --timeout-multiplier 30 --logbase valgrind --wrapper \
        'valgrind --quiet --vgdb=no --read-inline-info=no --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --vex-iropt-register-updates=allregs-at-mem-access'
    python3 scripts/count.py "$log"
}

check_tidy() {
    build_test
    # The analyzer follows a tenth of the paths that it would: all of them take ten minutes.
    python3 scripts/tidy.py build/test --extra-arg=-Xclang --extra-arg=-analyzer-config \
        --extra-arg=-Xclang --extra-arg=max-nodes=22500
}

check_fuzz() {
    local program corpus seeds
    build_asan
    for program in build/asan/tests/fuzz_*; do
        [[ -f $program && -x $program ]] || continue
        corpus=build/asan/corpus/${program##*/}
        mkdir -p "$corpus"
        seeds=tests/fuzz/corpus/${program##*/fuzz_}
        [[ -d $seeds ]] || seeds=
        "$program" -max_total_time=10 -artifact_prefix=build/asan/ "$corpus" ${seeds:+"$seeds"} \
            >"$program.log" 2>&1 || {
            tail -n 40 "$program.log" >&2
            return 1
        }
        tail -n 1 "$program.log"
    done
}

check_hostile() {
    build_asan
    python3 scripts/benches/bench_hostile.py build/asan --short
}

check_old_cpu() {
    build_test
    SIMDBENCH=build/test/simdbench python3 tests/cli/cli.py --no-skip OldCpu
}

# An op is one folder.
check_newcomer() {
    tests/newcomer/newcomer
}

# The kernels of 64-bit ARM, under emulation.
check_arm64() {
    local tool
    for tool in clang-19 aarch64-linux-gnu-ld qemu-aarch64; do
        command -v "$tool" >/dev/null || {
            say "arm64 skipped: there is no $tool"
            return 0
        }
    done
    scripts/build-arm64 test
}

# used: sets `cpu` to the seconds of CPU time of all programs that ended here.
used() {
    local fields
    read -ra fields <"/proc/$BASHPID/stat"
    cpu=$(((fields[15] + fields[16]) / 100))
}

# check NAME: a subshell with set -e of its own, as under `if` or `||` it would not stop at
# a failure. What it prints ends with its time, or with what repeats it.
check() {
    local started=$SECONDS status cpu before
    used
    before=$cpu
    set +e
    (set -e; "check_$1")
    status=$?
    set -e
    [[ $status -eq 0 ]] || die "$1 failed; again: scripts/check.sh $1"
    used
    printf '%-9s ok %3d s, %3d s of CPU time\n' "$1" $((SECONDS - started)) $((cpu - before))
}

# queue CHECK...: three at a time; what one says is printed at its end.
queue() {
    # shellcheck disable=SC2016
    printf '%s\n' "$@" | xargs -P 3 -I NAME bash -c \
        'said=$("$0" "$1" 2>&1) && status=0 || status=1; printf "%s\n" "$said"; exit "$status"' \
        "$here" NAME
}

check_slow() {
    queue "${slow[@]}"
}

check_rest() {
    queue "${slow[@]}" "${quick[@]}"
}

if [[ $* == table ]]; then
    table
    exit
fi
wanted=()
for argument in "${@:-quick}"; do
    case $argument in
        quick) wanted+=("${quick[@]}") ;;
        full) wanted+=(tests rest) ;;
        *)
            declare -F "check_$argument" >/dev/null ||
                die "no check is called $argument: quick, slow, rest, full," \
                    "${quick[*]} tests ${slow[*]}"
            wanted+=("$argument")
            ;;
    esac
done
packages run test
for name in "${wanted[@]}"; do
    check "$name"
done
