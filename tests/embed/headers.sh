#!/usr/bin/env bash
# usage: tests/embed/headers.sh COMPILER Compiles each public header alone and included twice, as a host might use it. A
# header may only include the standard library and other public headers. Headers for hosted servers may include
# Boost.JSON, and the header for hosts with actors may include CAF.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../actors"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() { echo "tests/embed/headers.sh: $1" >&2; exit 1; }

# one HEADER LIBRARIES...: compiles a header that may include these libraries.
one() {
  local header=$1 others=${*:2}
  printf '#include <troupe/%s.hpp>\n#include <troupe/%s.hpp>\n' "$header" "$header" >"$place/alone.cpp"
  "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only -MD -MF "$place/seen" "$place/alone.cpp" \
    || fail "$header.hpp does not stand alone"
  [ -s "$place/seen" ] || fail "the compiler does not tell what it reads"
  # shellcheck disable=SC2086 # a list of words
  others=$(printf '%s|' $others none)
  if tr -s ' \\' '\n' <"$place/seen" | grep -E '/(boost|caf|cjose|hiredis|openssl|prometheus)/|^(actors|net|protocol)/' \
    | grep -vE "/(${others%|})/" | head -1 | grep .; then
    fail "$header.hpp brings along what hosts do not ask for"
  fi
}

compiler=$1
for file in troupe/*.hpp; do
  header=$(basename "$file" .hpp)
  case $header in
  caf) one "$header" caf ;;
  answer | call | callback | server) one "$header" boost ;;
  *) one "$header" ;;
  esac
done
