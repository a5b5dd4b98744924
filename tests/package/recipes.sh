#!/usr/bin/env bash
# usage: tests/package/recipes.sh The recipes for vcpkg and Conan build the library with the selected parts. Neither
# tool is in Debian, so stand-ins simulate them, and nothing is built. The Conan part is skipped without Python.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() { echo "tests/package/recipes.sh: $1" >&2; exit 1; }

port() { cmake -DPLACE="$place/$1" "-DCHOSEN=$2" -P vcpkg_port.cmake >"$place/log" 2>&1 || fail "$(cat "$place/log")"; }
port vcpkg-all "cluster;redis"
grep -q 'actors/cluster/redis_' "$place/vcpkg-all/build/build.ninja" || fail "the port has no Redis"
port vcpkg-one ""
if grep -qE 'actors/cluster/router|net/redis/' "$place/vcpkg-one/build/build.ninja"; then fail "the port has clusters"; fi
[ -f "$place/vcpkg-one/packages/share/troupe/usage" ] || fail "the port does not say how it is used"

if ! command -v python3 >/dev/null; then exit 0; fi
recipe() { python3 conan_recipe.py "$place/$1" "${@:2}" >"$place/log" 2>&1 || fail "$(cat "$place/log")"; }
recipe conan-all on on
grep -q libhiredis-dev "$place/log" || fail "Redis needs no hiredis: $(cat "$place/log")"
grep -q 'actors/cluster/redis_' "$place/conan-all/build/build.ninja" || fail "the recipe has no Redis"
recipe conan-one off on
if grep -q libhiredis-dev "$place/log"; then fail "hiredis is needed without clusters"; fi
if grep -qE 'actors/cluster/router|net/redis/' "$place/conan-one/build/build.ninja"; then fail "the recipe has clusters"; fi
