#!/usr/bin/env bash
# usage: tests/tidy.sh BUILD_DIRECTORY
# Fails on what clang-tidy finds, by the checks of .clang-tidy. A file is looked at again when it, a header or the
# checks have changed.
set -euo pipefail
build=$(realpath -- "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stamps=$build/tidy
mkdir -p "$stamps"
common=$(cat .clang-tidy {protocol,net,actors,deploy}/*.hpp | sha256sum | cut -c1-16)

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

printf '%s\0' {protocol,net,actors,deploy}/*.cpp | xargs -0 -n1 -P2 bash -c 'check "$1"' check
