#!/usr/bin/env bash
# usage: tests/embed/install.sh BUILD_DIRECTORY Installs the library, and builds and runs a project that finds it there.
set -euo pipefail
build=$(realpath -- "$1")
cd "$(dirname "${BASH_SOURCE[0]}")"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() { echo "tests/embed/install.sh: $1" >&2; exit 1; }

cmake --install "$build" --component library --prefix "$place/prefix" >"$place/log" || fail "$(cat "$place/log")"
headers=$(cd "$place/prefix/include" && echo $(find . -type f -printf '%P\n' | LC_ALL=C sort))
public="troupe/access_check.hpp troupe/access_key.hpp troupe/access_record.hpp troupe/admin_options.hpp troupe/answer.hpp troupe/auth_options.hpp troupe/caf.hpp troupe/call.hpp troupe/callback.hpp troupe/gateway.hpp troupe/limits.hpp troupe/log_level_names.hpp"
public+=" troupe/server.hpp troupe/server_options.hpp troupe/session_request.hpp troupe/tls_options.hpp troupe/trace_options.hpp"
if [[ $headers != "$public" ]]; then fail "other headers than the public ones are installed: $headers"; fi
if grep -rE '<(boost/(asio|beast)|openssl)/' "$place/prefix/include"; then fail "a public header knows too much"; fi
if grep -rlF '<caf/' "$place/prefix/include" | grep -v '/caf\.hpp$'; then fail "CAF in a header that is not for it"; fi

# A process that can read the program file could read a new process's memory before it protects itself.
cmake --install "$build" --component Unspecified --prefix "$place/program" >"$place/log" || fail "$(cat "$place/log")"
mode=$(stat --format %a "$place/program/bin/troupe")
if [[ $mode != 711 ]]; then fail "the program is installed with mode $mode"; fi

# Extracts the program of the page: its block with includes.
awk '/^```cpp$/ { inside = 1; next }
     /^```$/ { inside = whole = 0 }
     inside && /^#include/ { whole = 1; print; next }
     inside && whole { body = body $0 "\n" }
     END { print "int main() {\n" body "}" }' ../../deploy/doc/embedding.md >"$place/page.cpp"
"${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I "$place/prefix/include" "$place/page.cpp" ||
  fail "the page's program is wrong: deploy/doc/embedding.md"

package=$(find "$place/prefix" -name troupe-config.cmake -printf '%h')
for there in "$build" "$(realpath ../..)"; do
  if grep -rF -- "$there" "$package"; then fail "the package names a directory of its builder"; fi
done

# Hosts name the major version that they were written for. They do not build with any other.
major=$(sed -n 's/^set(PACKAGE_VERSION "\([0-9]*\)\..*/\1/p' "$package/troupe-config-version.cmake")
configure() {
  cmake -S outside -B "$place/build" -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Debug -DMAJOR="$1" \
    -DCOMPONENTS="$2" >"$place/log" 2>&1
}
if configure $((major + 1)) gateway; then fail "another major version is found"; fi
if configure "$major" "gateway;none"; then fail "a component is found that does not exist"; fi
grep -qF "Troupe has no component none" "$place/log" || fail "$(cat "$place/log")"
configure "$major" "gateway;caf" || fail "$(cat "$place/log")"
cmake --build "$place/build" >"$place/log" 2>&1 || fail "$(cat "$place/log")"
for program in outside outside_caf; do "$place/build/$program"; done
