#!/usr/bin/env bash
# Fails when a C++ file is not formatted as .clang-format says; `clang-format -i` mends it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
find protocol net actors deploy tests -name node_modules -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print0 |
  xargs -0 clang-format --dry-run -Werror
