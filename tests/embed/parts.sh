#!/usr/bin/env bash
# usage: tests/embed/parts.sh Optional parts that are left out are neither compiled nor linked, and a host that requests
# one gets an error. Configures Troupe, and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

fail() { echo "tests/embed/parts.sh: $1" >&2; exit 1; }

# configure NAME OPTIONS...
configure() {
  cmake -G Ninja -S . -B "$place/$1" -DTROUPE_TESTS=OFF -DTROUPE_PROGRAM=OFF "${@:2}" >"$place/log" 2>&1 \
    || fail "$(cat "$place/log")"
}
has() { grep -qE -- "$2" "$place/$1/build.ninja"; }

# finds NAME COMPONENT: the result of find_package, before it looks at build products.
finds() {
  printf 'set(troupe_FIND_COMPONENTS %s)\nset(troupe_FIND_REQUIRED_%s TRUE)\ninclude(%s)\n' "$2" "$2" \
    "$place/$1/actors/troupe-config.cmake" >"$place/find.cmake"
  printf 'message("${troupe_NOT_FOUND_MESSAGE}")\n' >>"$place/find.cmake"
  cmake -P "$place/find.cmake" 2>&1
}

configure no-redis -DTROUPE_REDIS=OFF
for part in net/redis/ actors/cluster/redis_ /store_setup hiredis no_cluster_setup; do
  if has no-redis "$part"; then fail "$part is there without Redis"; fi
done
for part in net/node/ actors/cluster/router gateway/cluster_setup no_store_setup; do
  has no-redis "$part" || fail "$part is not there without Redis"
done
[ "$(finds no-redis redis)" = "this Troupe was built without redis: see TROUPE_REDIS" ] || fail "$(finds no-redis redis)"

configure alone -DTROUPE_CLUSTER=OFF
for part in net/redis/ net/node/ 'actors/cluster/(cluster|router|link_|redis_)' /cluster_setup /store_setup hiredis caf_io; do
  if has alone "$part"; then fail "$part is there without clusters"; fi
done
has alone no_cluster_setup || fail "nothing stands for clusters"
for part in cluster redis; do
  [[ $(finds alone $part) == "this Troupe was built without $part"* ]] || fail "$(finds alone $part)"
done
[[ $(finds alone none) == "Troupe has no component none"* ]] || fail "$(finds alone none)"
