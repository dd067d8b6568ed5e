# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions that the scripts share: packages and builds. Source it from a script in this folder.

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
# Debian's Python modules and Meson belong to Debian's python3, whatever else is installed.
PATH=/usr/bin:/bin:$PATH

say() {
    printf 'simdbench: %s\n' "$*" >&2
}

die() {
    say "$@"
    exit 1
}

# apt_culprits LOG: the packages that apt-get's errors name.
apt_culprits() {
    sed -nE -e 's/^E: Unable to locate package ([^ ]+).*/\1/p' \
        -e "s/^E: Package '([^']+)' has no .*/\\1/p" \
        -e 's/^E: Failed to fetch [^ ]*\/([a-z0-9][a-z0-9.+-]*)_[^ ]*\.deb.*/\1/p' \
        -e 's/^ ([a-z0-9][a-z0-9.+-]*) : (Depends|PreDepends|Conflicts|Breaks): .*/\1/p' \
        "$1" | sort -u | paste -sd ' '
}

# packages SECTION...: installs what is missing.
packages() {
    local wanted=() have section name missing=() as_root=() log
    while read -r section name _; do
        [[ $section == [!#]* && " $* " == *" $section "* ]] || continue
        [[ $name == clang-19 && -n ${CC:-} ]] || wanted+=("$name")
    done <"$root/scripts/packages.txt"
    [[ -x /usr/bin/dpkg-query && -x /usr/bin/apt-get ]] ||
        die "this is no Debian: install what these are called here, then build with" \
            "meson: ${wanted[*]}"
    have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null) || :
    for name in "${wanted[@]}"; do
        [[ $'\n'$have == *$'\n'"$name installed"* ]] || missing+=("$name")
    done
    [[ ${#missing[@]} -gt 0 ]] || return 0

    if [[ $EUID -ne 0 ]]; then
        command -v sudo >/dev/null ||
            die "no root and no sudo. As root: apt-get install ${missing[*]}" \
                "(CC=gcc builds without clang-19); without root: docs/usage.md, Build by hand"
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    log=$(mktemp)
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120)
    if ! { "${as_root[@]}" update && "${as_root[@]}" install -y --no-install-recommends \
        "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 15 "$log" >&2
        have=$(apt_culprits "$log")
        rm -f "$log"
        [[ -z $have ]] || die "apt-get failed at $have. Without it: docs/usage.md, Build by hand"
        die "apt-get failed, as said above. By hand: apt-get install ${missing[*]}"
    fi
    rm -f "$log"
}

# arm64_apt DIRECTORY COMMAND...: apt-get or apt-cache for packages of 64-bit ARM, downloaded
# to the directory with all state, so that the system's apt learns nothing of them.
arm64_apt() {
    local state=$1 command=$2
    shift 2
    mkdir -p "$state"/{lists,cache/archives}/partial
    (cd "$state" && "$command" -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o APT::Sandbox::User= -o Dir::State::status=/dev/null \
        -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache" "$@")
}

# use_compiler: sets `compiler` for Meson: that of CC, else the one that makes the kernels
# fast, behind ccache where that is.
use_compiler() {
    if [[ -z ${CC:-} ]] && command -v clang-19 >/dev/null; then
        export CC=clang-19
    fi
    compiler=${CC:-}
    # Paths and debug information are relative, so that checkouts in other folders share
    # what is compiled.
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    # Meson looks for ccache only where CC is not set.
    if [[ -n $compiler && $compiler != *ccache* ]] && command -v ccache >/dev/null; then
        compiler="ccache $compiler"
    fi
}

# build [--unlinked] DIRECTORY MESON_OPTION...: configures if the options are new, then builds;
# --unlinked: programs of tests compile, but nothing links them. Silent, but for one line if it takes
# longer than a second, which counts on a terminal, and the output if it fails. Scripts that run
# side by side wait for each other.
build() {
    local unlinked='' targets=()
    if [[ $1 == --unlinked ]]; then
        unlinked=yes
        shift
    fi
    local directory=$root/build/$1 options output='' line fd lock said='' compiler
    # ccache keeps each object by the locale, too.
    local -x LANG=C.UTF-8 LC_ALL=C.UTF-8
    shift
    mkdir -p "$root/build"
    exec {lock}>"$directory.lock"
    flock "$lock"
    use_compiler
    options="CC=$compiler $*"
    if [[ ! -f $directory/build.ninja || ! -f $directory/options.txt ||
        $(<"$directory/options.txt") != "$options" ]]; then
        say "building in ${directory#"$root"/}"
        said=yes
        rm -rf "$directory"
        if ! output=$(${compiler:+env "CC=$compiler"} meson setup "$directory" "$root" "$@" 2>&1); then
            printf '%s\n' "$output" >&2
            die "configuration failed"
        fi
        printf '%s\n' "$options" >"$directory/options.txt"
    fi
    # The first ninja makes build.ninja anew if a file of Meson is newer.
    [[ -z $unlinked ]] || mapfile -t targets < <(ninja -C "$directory" build.ninja >/dev/null 2>&1
        ninja -C "$directory" -t targets all | sed -n 's/: c_COMPILER$//p; /^tests/!s/: c_LINKER$//p')
    # All output and then ninja's exit status: at its end, or what there is after a second.
    exec {fd}< <(NINJA_STATUS='%f of %t: ' ninja -C "$directory" "${targets[@]}" 2>&1 &&
        printf '\n0' || printf '\n1')
    IFS= read -r -d '' -t 1 -u "$fd" output || [[ $? -le 128 ]] || {
        [[ -n $said ]] || say "building in ${directory#"$root"/}"
        while IFS= read -r -u "$fd" line; do
            output+=$line$'\n'
            [[ ! $line =~ ^[0-9]+\ of\ [0-9]+ || ! -t 2 ]] || printf '\r%s' "${BASH_REMATCH[0]}" >&2
        done
        output+=$line
        [[ ! -t 2 ]] || printf '\r\e[K' >&2
    }
    # The time of what ninja started counts when somebody waited for it.
    wait "$!" || true
    exec {fd}<&- {lock}>&-
    if [[ ${output##*$'\n'} != 0 ]]; then
        sed -E '$d; /^[0-9]+ of [0-9]+: /d' <<<"$output" >&2
        die "build failed"
    fi
}

# build_test: the build that the tests run in; warnings are errors.
build_test() {
    build test --buildtype=release --werror -Dtests=enabled
}

# One build serves the sanitizers, the fuzzers and the attacks. Programs with a fixed address
# start in two thirds of the time, as tables of sanitizers need no relocation then, and gold
# links them in a third. Code that ends at its first error is half as large: a pointer that was
# checked once is known to be good.
build_asan() {
    local link=-no-pie
    ! command -v ld.gold >/dev/null || link+=' -fuse-ld=gold'
    # The check of function types reads the bytes in front of a function; generated code has none there.
    CC=clang-19 build asan --buildtype=debugoptimized -Dtests=enabled -Dfuzz=true \
        -Dc_args='-fno-sanitize-recover=all -fno-sanitize=function -gline-tables-only' \
        -Dc_link_args="$link" -Db_lundef=false -Db_sanitize=address,undefined
}

# build_peers [NAME...]: modules of peers/ to build/peers/NAME.so. One that fails stops no other.
build_peers() {
    local cargo least rust name library failed=() names=("$@") target=$root/build/peers/cargo
    [[ $(uname -m) == x86_64 ]] || die "the modules of peers/ have kernels for x86-64 alone"
    # Debian's is last: other ones are newer.
    cargo=$({ type -aP cargo | grep -v '^\(/usr\)\?/bin/' || type -P cargo; } | head -n 1)
    [[ -n $cargo ]] || die "there is no cargo: install Rust, https://rustup.rs"
    least=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$root/peers/Cargo.toml")
    rust=$("$cargo" --version | cut -d ' ' -f 2)
    printf '%s\n' "$least" "$rust" | sort -CV ||
        die "peers need Rust $least or newer, and $cargo is of $rust: https://rustup.rs"
    if [[ ${#names[@]} -eq 0 ]]; then
        mapfile -t names < <(cd "$root/peers" && grep -l cdylib -- */Cargo.toml | cut -d / -f 1)
    fi
    for name in "${names[@]}"; do
        say "building peers/$name"
        library=$target/release/libpeer_${name//-/_}.so
        # shellcheck disable=SC2015
        (cd "$root/peers" && RUSTC=${cargo%cargo}rustc "$cargo" build --quiet --release --locked \
            --target-dir "$target" -p "peer-$name") &&
            cp --remove-destination "$library" "$root/build/peers/$name.so" || failed+=("$name")
    done
    [[ ${#failed[@]} -eq 0 ]] || die "not built: ${failed[*]}"
}
