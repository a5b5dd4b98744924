#!/usr/bin/env bash
# usage: tests/tidy.sh BUILD_DIRECTORY
# Fails on what clang-tidy finds, by the checks of .clang-tidy. A file is looked at again when it, a header or the
# checks have changed.
set -euo pipefail
build=$(realpath -- "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# sources SUFFIX: the files of ours that end so, with a zero after each.
sources() { find protocol net actors deploy -name "*.$1" -print0 | sort -z; }

stamps=$build/tidy
mkdir -p "$stamps"
common=$(sources hpp | xargs -0 cat .clang-tidy | sha256sum | cut -c1-16)

# The compiler knows warnings that clang does not.
sed -E 's/-Wno-(maybe-uninitialized|restrict)//g' "$build/compile_commands.json" >"$stamps/compile_commands.json"

check() {
  local stamp
  stamp=$stamps/$(cat "$1" <(echo "$common $1") | sha256sum | cut -c1-32)
  [ -f "$stamp" ] && return
  clang-tidy --quiet -p "$stamps" "$1" 2>/dev/null && touch "$stamp"
}
export -f check
export build stamps common

sources cpp | xargs -0 -n1 -P2 bash -c 'check "$1"' check
