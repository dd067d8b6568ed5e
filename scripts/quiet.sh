#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/quiet.sh COMMAND...: runs it on a machine that is as quiet as it can be made, then
# puts everything back. scripts/quiet.sh --help tells what that is.
if [ -z "${BASH_VERSION:-}" ]; then
    exec bash "$0" "$@"
fi
set -uo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/quiet.sh [OPTION...] COMMAND [ARGUMENT...]

Sets what makes timings repeatable, runs COMMAND, and puts everything back however COMMAND
ends: by itself, with an error, killed, or because this script gets SIGINT, SIGTERM or SIGHUP,
which it passes on to COMMAND. Exit status: COMMAND's; 2 for bad usage.

  SMT               off      only with --smt-off
  turbo             off      the clock stops depending on heat and on other cores
  energy preference performance
  governor          performance
  NMI watchdog      off      it holds one hardware counter
  ASLR              off      for COMMAND alone where setarch may, else for the system

What is so already is left alone, now and afterwards; what somebody else changed meanwhile
too. What cannot be set is told, with the reason, and COMMAND runs all the same. Most of it
needs root: sudo scripts/quiet.sh COMMAND. Nothing can be put back after SIGKILL.

COMMAND runs in a process group of its own, so it cannot read from a terminal.

  --smt-off   takes the second CPU of each core offline
  --dry-run   prints what would be set and run, and does nothing
  --root=DIR  finds sys/ and proc/ in DIR, for tests
  --help      this text

Does it help? scripts/quiet.sh simdbench doctor
TEXT
}

say() {
    printf 'quiet: %s\n' "$*" >&2
}

refuse() {
    say "$*; see scripts/quiet.sh --help"
    exit 2
}

base='' smt_off='' dry_run=''
while [[ $# -gt 0 ]]; do
    case $1 in
        --smt-off) smt_off=yes ;;
        --dry-run) dry_run=yes ;;
        --root=?*) base=${1#*=} ;;
        --help)
            usage
            exit 0
            ;;
        --)
            shift
            break
            ;;
        -*) refuse "no option is called $1" ;;
        *) break ;;
    esac
    shift
done
[[ $# -gt 0 ]] || refuse 'no command to run'
command=("$@")
cpu=$base/sys/devices/system/cpu
kernel=$base/proc/sys/kernel

# Settings that were changed, in this order: put back from the last to the first.
files=() olds=() ours=()

# A child that ends just when SIGINT arrives can make bash forget the signal, so what runs
# while settings change starts none unless something fails.

# get VARIABLE FILE: its first line, empty if there is none.
get() {
    printf -v "$1" ''
    IFS= read -r "$1" 2>/dev/null <"$2"
}

# put VALUE FILE: on failure `reason` tells why.
put() {
    if [[ ! -w $2 ]]; then
        reason='not writable'
    elif { printf '%s\n' "$1" >"$2"; } 2>/dev/null; then
        return 0
    else
        reason=$({ printf '%s\n' "$1" >"$2"; } 2>&1) && return 0
        reason=${reason##*: }
    fi
    return 1
}

# set_file NAME WANTED FILE: tells what it cannot do.
set_file() {
    local name=$1 wanted=$2 file=$3 old='' now='' reason=''
    get old "$file"
    if [[ -z $old ]]; then
        say "$name is left alone: $file tells nothing"
        return 0
    fi
    [[ $old != "$wanted" ]] || return 0
    if [[ -n $dry_run ]]; then
        printf '%s: %s -> %s in %s\n' "$name" "$old" "$wanted" "$file"
        return 0
    fi
    # Written down first: a signal may come as soon as it is written.
    files+=("$file") olds+=("$old") ours+=("$wanted")
    if ! put "$wanted" "$file"; then
        say "$name stays $old: $file: $reason"
        [[ $EUID -eq 0 ]] || needs_root=yes
        return 0
    fi
    get now "$file"
    [[ $now == "$wanted" ]] || say "$name is $now, not $wanted: $file did not take it"
    [[ $now == "$old" ]] || ours[-1]=$now
}

# set_all NAME WANTED WHY-NOT FILE...: those of the files that exist.
set_all() {
    local name=$1 wanted=$2 missing=$3 file found=''
    shift 3
    for file; do
        [[ -f $file ]] || continue
        found=yes
        set_file "$name" "$wanted" "$file"
    done
    [[ -n $found ]] || say "$name cannot be set: $missing"
}

# CPUs that are offline have no governor to put back: SMT goes first and comes back last.
set_smt() {
    local state=''
    get state "$cpu/smt/control"
    case $state in
        on) set_file SMT off "$cpu/smt/control" ;;
        '') say "SMT cannot be set: the kernel has no $cpu/smt/control" ;;
        notsupported | notimplemented) say "SMT cannot be set: $cpu/smt/control: $state" ;;
    esac
}

set_turbo() {
    if [[ -f $cpu/intel_pstate/no_turbo ]]; then
        set_file 'no turbo' 1 "$cpu/intel_pstate/no_turbo"
    else
        set_all turbo 0 'the kernel offers no switch (virtual machine? firmware?)' \
            "$cpu/cpufreq/boost"
    fi
}

# Under the governor "performance" some drivers refuse other preferences: they are set
# before and put back after it.
set_clock() {
    local none='the kernel does not steer the clock (virtual machine?)'
    if compgen -G "$cpu/cpu[0-9]*/cpufreq/energy_performance_preference" >/dev/null; then
        set_all 'energy preference' performance "$none" \
            "$cpu"/cpu[0-9]*/cpufreq/energy_performance_preference
    fi
    set_all governor performance "$none" "$cpu"/cpu[0-9]*/cpufreq/scaling_governor
}

set_aslr() {
    if [[ -n $may_setarch ]]; then
        command=(setarch -R -- "${command[@]}")
    else
        set_all ASLR 0 "neither by setarch -R nor by $kernel/randomize_va_space" \
            "$kernel/randomize_va_space"
    fi
}

# shellcheck disable=SC2317 # a trap calls it
restore() {
    local i now='' reason='' back=0
    # A second Ctrl-C must not leave half of it behind.
    trap '' INT TERM HUP
    for ((i = ${#files[@]} - 1; i >= 0; i--)); do
        get now "${files[i]}"
        [[ $now != "${olds[i]}" ]] || continue
        if [[ $now != "${ours[i]}" ]]; then
            say "${files[i]} is left at $now: somebody changed it meanwhile"
        elif ! put "${olds[i]}" "${files[i]}"; then
            say "NOT PUT BACK: $reason; type: echo ${olds[i]} | sudo tee ${files[i]}"
        else
            back=$((back + 1))
        fi
    done
    [[ $back -eq 0 ]] || say "put back: $back"
}

# Each signal reaches the command once, whether it was sent to this script or typed on the
# terminal. Before there is a command it ends the script.
# shellcheck disable=SC2317 # a trap calls it
pass_on() {
    got=yes
    [[ $! != "$probe" ]] || exit "$2"
    # Until the child has become the command, it would take the signal for its own.
    while cmp -s "/proc/$$/cmdline" "/proc/$!/cmdline"; do sleep 0.01; done
    kill -s "$1" -- "-$!" 2>/dev/null
}

needs_root='' got='' may_setarch=''
setarch -R true 2>/dev/null &
probe=$!
! wait "$probe" || may_setarch=yes
trap restore EXIT
trap 'pass_on INT 130' INT
trap 'pass_on TERM 143' TERM
trap 'pass_on HUP 129' HUP

[[ -z $smt_off ]] || set_smt
set_turbo
set_clock
set_all 'NMI watchdog' 0 "the kernel has no $kernel/nmi_watchdog" "$kernel/nmi_watchdog"
set_aslr
if [[ -n $dry_run ]]; then
    printf 'run: %s\n' "${command[*]}"
    exit 0
fi
[[ -z $needs_root ]] || say 'try: sudo scripts/quiet.sh ...'

[[ ! -t 0 ]] || exec </dev/null
# Job control gives the command a process group of its own.
set -m
"${command[@]}" &
set +m
while :; do
    wait "$!" 2>/dev/null
    code=$?
    # The wait may have ended for the signal alone.
    [[ -n $got ]] || break
    got=''
done
exit "$code"
