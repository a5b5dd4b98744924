#!/usr/bin/env bash
# The command line of the program, from a user's view. usage: cli.sh PROGRAM
set -euo pipefail
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  cat "$scratch/out" "$scratch/err"
  failures=$((failures + 1))
}

# run ARGS...: runs the program until it exits, and sets `status` and the files out and err.
run() {
  status=0
  timeout -k 5 60 "$program" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
}

# refused NAMED ARGS...: expects status 2 and a single line that names the error.
refused() {
  local named=$1
  shift
  run "$@"
  [ "$status" = 2 ] || fail "status $status for: $*"
  [ "$(wc -l <"$scratch/err")" = 1 ] || fail "not one line for: $*"
  grep -qF -e "$named" "$scratch/err" || fail "$named is not named for: $*"
  [ ! -s "$scratch/out" ] || fail "something on stdout for: $*"
}

# shown PATTERN ARGS...: expects status 0 and the pattern on stdout.
shown() {
  local pattern=$1
  shift
  run "$@"
  [ "$status" = 0 ] || fail "status $status for: $*"
  grep -qE -e "$pattern" "$scratch/out" || fail "no $pattern for: $*"
}

# wait_for PATTERN FILE: waits up to thirty seconds until the file has the pattern.
wait_for() {
  for _ in $(seq 600); do
    if grep -qE -e "$1" "$2" 2>/dev/null; then return; fi
    sleep 0.05
  done
  fail "no $1 in $2"
  cat "$2"
}

version_and_help() {
  shown '^troupe [0-9]+\.[0-9]+\.[0-9]+$' --version
  shown '^troupe [0-9]+\.[0-9]+\.[0-9]+$' serve --version
  shown 'example-server' --help
  shown 'check' --help
  shown '\-\-config' serve --help
  shown '\-\-config' check --help
  shown '\-\-session-timeout' serve --help
  shown '\-\-cluster-listen HOST:PORT .*default: 127.0.0.1:7946' serve --help
}

bad_flags() {
  refused --no-such-flag serve --no-such-flag -- server
  refused --port serve --port seventy -- server
  refused --port serve --port -1 -- server
  refused --port serve --port 65536 -- server
  refused --port serve --port
  refused --port serve --port $'1\n2' -- server
  refused --threads serve --threads 0 -- server
  refused --log-level serve --log-level loud -- server
  refused --log-format serve --log-format xml -- server
  refused --access-log-format serve --access-log-format xml -- server
  refused --max-body serve --max-body -1 -- server
  refused --max-sessions serve --max-sessions 0 -- server
  refused --env serve --env NAME -- server
  refused --env serve --env =value -- server
  refused --cwd serve --cwd /no/such/directory -- server
  for time in 0 -1 nan soon ''; do
    refused --session-timeout serve --session-timeout "$time" -- server
    refused --abandoned-timeout serve --abandoned-timeout "$time" -- server
    refused --lease-time serve --lease-time "$time" -- server
    refused --request-timeout serve --request-timeout "$time" -- server
  done
}

# alone ARGS...: the flags of a node on this machine, followed by ARGS.
alone() {
  local named=$1
  shift
  refused "$named" serve --node a --cluster-key "$scratch/key" "$@" -- server
}

tls_flags() {
  printf 'some file\n' >"$scratch/pem"
  refused --tls-key: serve --tls-cert "$scratch/pem" -- server
  refused --tls-cert: serve --tls-key "$scratch/pem" -- server
  refused --tls-cert: serve --tls-client-ca "$scratch/pem" -- server
  refused --tls-key serve --tls-cert "$scratch/pem" --tls-key "$scratch/none" -- server
  refused --tls-client-ca: serve --tls-cert "$scratch/pem" --tls-key "$scratch/pem" --tls-client-crl "$scratch/pem" \
    -- server
}

admin_flags() {
  refused --admin-listen serve --admin-listen 9464 -- server
  refused --admin-listen serve --admin-listen unix: -- server
  refused --admin-token-file serve --admin-token-file "$scratch/none" -- server
  printf '0123456789abcdef\n' >"$scratch/token"
  refused --admin-open serve --admin-open --admin-token-file "$scratch/token" -- server
}

cluster_flags() {
  printf '0123456789abcde\n' >"$scratch/short"
  printf '0123456789abcdef\n' >"$scratch/key"
  refused --node: serve --cluster-key "$scratch/key" -- server
  refused --node: serve --store redis://host -- server
  refused --node: serve --node 'a b' --cluster-key "$scratch/key" -- server
  refused --cluster-key: serve --node a -- server
  refused --cluster-key: serve --node a --cluster-key "$scratch/short" -- server
  cat "$scratch/key" "$scratch/short" >"$scratch/two"
  refused 'line 2 must have at least 16 bytes' serve --node a --cluster-key "$scratch/two" -- server
  : >"$scratch/empty"
  refused '--cluster-key: is missing' serve --node a --cluster-key "$scratch/empty" -- server
  refused --cluster-key: serve --node a --cluster-key "$scratch/none" -- server
  for place in host host: :1 ::1:7946 host:65536 'a b:1'; do
    alone --cluster-listen --cluster-listen "$place"
    alone --cluster-advertise --cluster-advertise "$place"
    alone --join --join "a:1,$place"
  done
  alone --cluster-advertise --cluster-listen 0.0.0.0:7946
  alone --cluster-plain --cluster-listen 10.0.0.1:7946
  alone --cluster-plain --cluster-advertise node-1:7946
  alone --cluster-ca --cluster-cert "$scratch/key" --cluster-cert-key "$scratch/key"
  alone --cluster-cert --cluster-cert "$scratch/none"
  for time in 0 0.1 300.1 soon; do alone --heartbeat --heartbeat "$time"; done
  alone --store: --store redis://someone:hid-den@host:none
  if grep -qF hid-den "$scratch/err"; then fail "a password is shown"; fi
  run serve --config "$scratch/none" --node a --cluster-key "$scratch/key" --store '' --allow-origin '' # unset variables
  [ "$status" = 1 ] || fail "status $status for empty texts"
}

# Misplaced arguments, as when quotes are missing, may be secrets and are not printed.
secrets() {
  local secret=eyJhbGciOiJub25lIn0.e30.c2VjcmV0 words
  printf '{"mcpServers": {}}\n' >"$scratch/empty.json"
  for words in "$secret" "check $scratch/empty.json --as Bearer $secret" "check --as Bearer $secret"; do
    # shellcheck disable=SC2086
    refused '--as -' $words
    if grep -qF "$secret" "$scratch/out" "$scratch/err"; then fail "a token is shown: $words"; fi
  done
}

one_server() {
  refused 'troupe serve --' serve
  refused 'troupe serve --' serve --
  refused --stdio serve --stdio server -- server
  refused --stdio serve --stdio "server 'open"
  refused --stdio serve --stdio ' '
  refused -- serve npx server
  refused "troupe --help"
  refused walk walk
}

# Starts a gateway on a free port, with the named log file.
start() {
  local log=$1
  shift
  timeout -k 5 120 "$program" serve --port 0 "$@" -- "$program" example-server --port x 2>"$log" &
  gateway=$!
  wait_for 'listening' "$log"
}

stop() {
  status=0
  kill "-$1" "$gateway"
  wait "$gateway" || status=$?
  [ "$status" = 0 ] || fail "status $status after $1"
}

a_port_in_use() {
  local port
  start "$scratch/first"
  port=$(sed -n 's|.*listening url=http://127.0.0.1:\([0-9]*\)/mcp server=.*|\1|p' "$scratch/first")
  run serve --port "$port" -- "$program" example-server
  [ "$status" = 1 ] || fail "status $status for a port in use"
  [ "$(wc -l <"$scratch/err")" = 1 ] || fail "not one line for a port in use"
  grep -qF "$port" "$scratch/err" || fail "the port in use is not named"
  stop TERM
  wait_for 'info draining signal=SIGTERM' "$scratch/first"
  wait_for 'info stopped' "$scratch/first"
}

a_json_log() {
  start "$scratch/json" --log-format json
  stop INT
  wait_for '^\{"time":"[0-9T:.-]+Z","level":"info","msg":"listening","url":"http://[^"]+","server":"[^"]+"\}$' "$scratch/json"
  wait_for '"msg":"draining","signal":"SIGINT"\}$' "$scratch/json"
}

an_access_log_that_cannot_be_opened() {
  run serve --port 0 --access-log "$scratch/none/access.log" -- "$program" example-server
  [ "$status" = 1 ] || fail "status $status for an access log that cannot be opened"
  [ "$(wc -l <"$scratch/err")" = 1 ] || fail "not one line for an access log that cannot be opened"
  grep -qF "$scratch/none/access.log cannot be opened" "$scratch/err" || fail "the access log is not named"
}

an_open_address() {
  start "$scratch/open" --host 0.0.0.0 --allow-anonymous
  wait_for 'warning .*anybody is let in' "$scratch/open"
  stop TERM
}

version_and_help
bad_flags
tls_flags
admin_flags
cluster_flags
secrets
one_server
a_port_in_use
a_json_log
an_access_log_that_cannot_be_opened
an_open_address
[ "$failures" = 0 ]
