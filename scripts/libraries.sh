# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Newer libraries than Debian's, for baselines. Source it after lib.sh.

# fetch_libraries FOLDER [NAME...]: all of scripts/libraries.txt, or those of the names that
# are in it. One that is there is left alone; one that fails stops no other.
fetch_libraries() {
    local name client artifact sum files lib=$1 failed=()
    shift
    [[ $(uname -m) == x86_64 ]] || die "the libraries of scripts/libraries.txt are for x86-64"
    mkdir -p "$lib"
    while read -r name client artifact sum files; do
        [[ $name == [!#]* && ($# -eq 0 || " $* " == *" $name "*) ]] || continue
        [[ ! -f $lib/$name.txt || $(<"$lib/$name.txt") != "$artifact $sum" ]] || continue
        say "fetching $artifact"
        if fetch_library "$client" "$artifact" "$sum" "$lib" "$files"; then
            printf '%s\n' "$artifact $sum" >"$lib/$name.txt"
        else
            failed+=("$artifact")
        fi
    done <"${BASH_SOURCE[0]%.sh}.txt"
    [[ ${#failed[@]} -eq 0 ]] || die "not fetched: ${failed[*]}"
}

# fetch_library CLIENT ARTIFACT SHA256 FOLDER FILES: unpacks the files, without their folders.
fetch_library() {
    local work files=()
    read -ra files <<<"$5"
    work=$(mktemp -d "$4/fetch.XXXXXX")
    case $1 in
    pip) pip download -q --no-deps --only-binary :all: -d "$work" "$2" ;;
    mvn) mvn -q -B -Dstyle.color=never dependency:copy -Dartifact="$2" -DoutputDirectory="$work" ;;
    esac </dev/null >&2 &&
        printf '%s  %s\n' "$3" "$(echo "$work"/*)" | sha256sum --check --quiet >&2 &&
        unzip -q -j -o "$work"/* "${files[@]}" -d "$4" >&2
    local status=$?
    rm -rf "$work"
    return "$status"
}
