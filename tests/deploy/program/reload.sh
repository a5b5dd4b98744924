#!/usr/bin/env bash
# `troupe serve --config`: reload by SIGHUP and by --watch, and shutdown. usage: reload.sh PROGRAM
set -euo pipefail
program=$1
scratch=$(mktemp -d)
gateway=
trap 'if [ -n "$gateway" ]; then kill -KILL "$gateway" 2>/dev/null || true; fi; rm -rf "$scratch"' EXIT
file=$scratch/mcp.json
log=$scratch/log
secret=hid-den
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  cat "$log"
  failures=$((failures + 1))
}

# wait_for PATTERN: waits up to thirty seconds until the log has a line with the pattern.
wait_for() {
  for _ in $(seq 600); do
    if grep -qE -e "$1" "$log" 2>/dev/null; then return; fi
    sleep 0.05
  done
  fail "no $1 in the log"
}

# servers NAME...: writes a file with these servers and renames it into place, as editors do.
servers() {
  local name
  {
    echo '{"mcpServers": {'
    for name in "$@"; do
      printf '"%s": {"command": "%s", "args": ["example-server"], "env": {"KEY": "%s"}},\n' "$name" "$program" "$secret"
    done
    echo '}, "gateway": {"port": 0, "grace": "100ms"}}'
  } >"$file.new"
  mv "$file.new" "$file"
}

# start ARGS...: starts with an empty log, so that earlier lines do not match.
start() {
  : >"$log"
  "$program" serve "$@" 2>"$log" &
  gateway=$!
  wait_for listening
}

stop() {
  local status=0
  kill "-$1" "$gateway"
  wait "$gateway" || status=$?
  gateway=
  [ "$status" = 0 ] || fail "status $status after $1"
  wait_for 'info stopped'
}

by_signal() {
  servers a b
  start --config "$file"
  wait_for 'listening .*servers=a,b$'
  servers b c
  kill -HUP "$gateway"
  wait_for 'info configuration changed added=c removed=a$'
  kill -HUP "$gateway"
  wait_for 'info servers are as they were'
  echo '{"mcpServers": {"a": {"sharing": "'$secret'"}}}' >"$file"
  kill -HUP "$gateway"
  wait_for 'error must be one of .* key=mcpServers.a.sharing line=1$'
  wait_for 'error configuration not changed'
  servers b
  kill -HUP "$gateway"
  wait_for 'removed=c$'
  stop TERM
}

by_watch() {
  servers a
  start --config "$file" --watch --port 0
  servers a b
  wait_for 'info configuration changed added=b$'
  servers b
  wait_for 'info configuration changed removed=a$'
  rm "$file"
  wait_for 'error configuration not changed'
  servers c
  wait_for 'info configuration changed added=c removed=b$'
  stop INT
}

restart_needed() {
  servers a
  start --config "$file"
  sed -i 's/100ms/200ms/' "$file"
  kill -HUP "$gateway"
  wait_for 'warning needs a restart key=gateway.grace$'
  stop TERM
}

flags_outrank_the_file() {
  servers a
  sed -i 's/"port": 0/"port": 1, "log": {"level": "error", "format": "json"}/' "$file"
  start --config "$file" --port 0 --log-level info --log-format text
  wait_for 'info listening url=http://127.0.0.1:[0-9]{2,}/mcp'
  stop TERM
}

without_a_file() {
  start --port 0 -- "$program" example-server
  kill -HUP "$gateway"
  wait_for 'info nothing to read again'
  stop TERM
}

an_access_log_without_a_file() {
  local access=$scratch/access.log
  start --port 0 --access-log "$access" -- "$program" example-server
  mv "$access" "$access.1"
  kill -HUP "$gateway"
  wait_for 'info access log opened again$'
  [ -e "$access" ] || fail "no access log after SIGHUP"
  rm "$access"
  mkdir "$access"
  kill -HUP "$gateway"
  wait_for 'error access log not opened again reason="the access log .* cannot be opened: Is a directory"$'
  if grep -qF 'nothing to read again' "$log"; then fail "there was something to open again"; fi
  stop TERM
}

an_access_log_of_the_file() {
  servers a
  sed -i 's|"port": 0|"port": 0, "accessLog": {"file": "of-file.log"}|' "$file"
  start --config "$file"
  [ -e "$scratch/of-file.log" ] || fail "the access log is not beside the file that names it"
  kill -HUP "$gateway"
  wait_for 'info access log opened again$'
  wait_for 'info servers are as they were'
  stop TERM
  start --config "$file" --access-log -
  stop TERM
}

by_signal
if grep -qF "$secret" "$log"; then fail "a value is in the log"; fi
by_watch
if grep -qF "$secret" "$log"; then fail "a value is in the log"; fi
restart_needed
flags_outrank_the_file
without_a_file
an_access_log_without_a_file
an_access_log_of_the_file
[ "$failures" = 0 ]
