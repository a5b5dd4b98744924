#!/usr/bin/env bash
# `troupe check`, and the start of `troupe serve --config`, from a user's view. usage: check.sh PROGRAM
set -euo pipefail
program=$1
umask 077 # others read none of its files
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
file=$scratch/mcp.json
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
}

# checked STATUS EXPECTED: expects this output of `check` for the file on stdin.
checked() {
  cat >"$file"
  run check --config "$file"
  [ "$status" = "$1" ] || fail "status $status instead of $1"
  [ "$(cat "$scratch/out")" = "$2" ] || fail "not said: $2"
  if grep -qv '^troupe: warning: as root, ' "$scratch/err"; then fail "something on stderr"; fi # a test may be root
}

flags() {
  refused 'name the file to check: troupe check FILE' check
  refused --config check --config
  refused --no-such-flag check --config "$file" --no-such-flag
  refused --keys check --config "$file" --keys "$scratch/none"
  refused --as check --config "$file" --tool a/b
  refused --as check --config "$file" --as ''
  refused --tool check --config "$file" --as ada --tool a
  refused --subject check --config "$file" --subject ''
  refused --subject check --config "$file" --subject ada --as ada
  refused --scope check --config "$file" --as ada --scope read
  refused --prompt check --config "$file" --as ada --tool a/b --prompt a/b
  refused --watch check --config "$file" --watch
  refused --config serve --config "$file" -- server
  refused --config serve --config "$file" --stdio server
  refused --config serve --config "$file" --env A=1
  refused --config serve -c "$file" --cwd /
  refused --watch serve --watch -- server
}

good_files() {
  checked 0 '1 server, no problems' <<<'{"mcpServers": {"a": {"command": "true"}}}'
  checked 0 '2 servers, no problems' <<'END'
// as an editor writes it
{
  "servers": {
    "a": {"command": "true"}, /* and */
    "b": {"url": "https://host/mcp"},
    "c": {"command": "true", "disabled": true},
  },
}
END
}

bad_files() {
  checked 1 "$file:3: error: mcpServers.a.env.KEY: the environment variable \`NOT_SET_HERE\` is not set
$file:4: warning: mcpServers.a.arg: is not known, did you mean \`args\`?
$file:6: error: gateway.port: must be a whole number from 0 to 65535" <<'END'
{"mcpServers": {"a": {
  "command": "true",
  "env": {"KEY": "${NOT_SET_HERE}"},
  "arg": []
}},
"gateway": {"port": "eighty"}}
END
  checked 1 "$file:2: error: is no valid JSON: syntax error" <<<$'{\n"a" 1}'
  checked 1 "$file:1: error: has no servers: name them in \`mcpServers\` or \`servers\`" <<<'{}'
}

clusters() {
  printf '0123456789abcdef\n0123456789ABCDEF\n' >"$scratch/cluster.key"
  checked 0 '1 server, no problems' <<'END'
{"mcpServers": {"a": {"command": "true", "recovery": "restore"}},
 "gateway": {"cluster": {"node": "${NODE:-a}", "keyFile": "cluster.key", "store": "redis://:${NOT_SET_HERE:-secret}@host"}}}
END
  printf '%s\n' 0123456789abcdef 0123456789ABCDEF 0123456789abcdef >"$scratch/three.key"
  checked 1 "$file:1: error: gateway.cluster.keyFile: has the same key in the lines 1 and 3" <<'END'
{"mcpServers": {"a": {"command": "true"}}, "gateway": {"cluster": {"node": "a", "keyFile": "three.key"}}}
END
  checked 1 "$file:1: error: mcpServers.a: \`recovery\` is \`restore\`, which takes a store: give \`gateway.cluster.store\` or --store
$file:2: error: gateway.cluster.node: is missing: each node of a cluster has a name of its own
$file:3: error: gateway.cluster.listen: is every address of this machine: say with \`gateway.cluster.advertise\` where others reach it
$file:4: error: gateway.cluster.keyFile: cannot be read: No such file or directory" <<'END'
{"mcpServers": {"a": {"command": "true", "recovery": "restore"}}, "gateway":
{"cluster": {
  "listen": "0.0.0.0:7946", "plain": true,
  "keyFile": "none"}}}
END
}

# Flags complete a file, and an error in a flag names the flag.
cluster_flags() {
  echo '{"mcpServers": {"a": {"command": "true"}}, "gateway": {"cluster": {"keyFile": "cluster.key"}}}' >"$file"
  run serve --config "$file" --port 0 --node 'a b'
  [ "$status" = 1 ] || fail "status $status for a bad flag beside a file"
  grep -qF "$file: error: --node: must have 1 to 64 letters" "$scratch/err" || fail "--node is not named"
  [ "$(wc -l <"$scratch/err")" = 1 ] || fail "not one line"
}

# Without flags, access control may still be missing from the file.
reach() {
  printf 'ada sha256:%064d read 2001-01-01\nbob sha256:%064d - -\n' 1 2 >"$scratch/keys"
  local why='0.0.0.0 is beyond this machine, and nobody would be asked who he is'
  echo '{"mcpServers": {"a": {"command": "true"}}, "gateway": {"host": "0.0.0.0"}}' >"$file"
  run check "$file"
  [ "$status" = 0 ] || fail "status $status for what flags may allow"
  grep -qF "$file: warning: gateway: $why" "$scratch/out" || fail "no warning"
  for flags in '--keys keys' --allow-anonymous '--listen 127.0.0.1:80'; do
    # shellcheck disable=SC2086 # flags and values are words
    (cd "$scratch" && run check "$file" $flags && exit "$status") || fail "refused: $flags"
  done
  run check "$file" --port 80
  [ "$status" = 1 ] || fail "status $status when flags allow nobody"
  run check "$file" --as bob
  [ "$status" = 1 ] || fail "status $status for somebody where nobody is asked"
  grep -qF "$file: error: gateway: $why" "$scratch/out" || fail "no error"
  echo '{"mcpServers": {"a": {"command": "true"}}}' >"$file"
  run check "$file" --host 0.0.0.0
  [ "$status" = 1 ] || fail "status $status for a flag beyond this machine"
}

# A flag may still give the token that the file lacks.
operators() {
  local why='operators are listened for at 0.0.0.0, beyond this machine, and would not be asked who they are'
  printf '0123456789abcdef\n' >"$scratch/token"
  printf '0123456789abcde\n' >"$scratch/short"
  echo '{"mcpServers": {"a": {"command": "true"}}, "gateway": {"admin": {"listen": "0.0.0.0:9464"}}}' >"$file"
  run check "$file"
  [ "$status" = 0 ] || fail "status $status for what flags may give"
  grep -qF "$file: warning: gateway: $why" "$scratch/out" || fail "no warning"
  run check "$file" --port 80
  [ "$status" = 1 ] || fail "status $status when no flag gives a token"
  grep -qF "$file: error: gateway: $why" "$scratch/out" || fail "no error"
  for flags in "--admin-token-file $scratch/token" '--admin-listen 127.0.0.1:80' "--admin-listen unix:$scratch/s"; do
    # shellcheck disable=SC2086 # flags and values are words
    run check "$file" $flags
    [ "$status" = 0 ] || fail "refused: $flags"
  done
  run check "$file" --admin-open
  [ "$status" = 1 ] || fail "status $status for an open listener beyond this machine"
  run check "$file" --admin-open --admin-listen 127.0.0.1:80
  [ "$status" = 0 ] || fail "status $status for an open listener on loopback"
  grep -qF "$file: warning: gateway.admin.open: " "$scratch/out" || fail "no warning of an open listener"
  why="the token for operators: '$scratch/short' must have at least 16 characters"
  run check "$file" --admin-token-file "$scratch/short"
  [ "$status" = 1 ] || fail "status $status for a short token"
  grep -qF "$file: error: gateway: $why" "$scratch/out" || fail "no error about a short token"
  echo '{"mcpServers": {"a": {"command": "true"}}, "gateway": {"admin": {"tokenFile": "short"}}}' >"$file"
  run check "$file"
  [ "$status" = 1 ] || fail "status $status for a short token in the file that is named"
  grep -qF "$file: error: gateway: $why" "$scratch/out" || fail "no error about a short token"
}

# asked STATUS EXPECTED ARGS...: expects this output of `check --as`.
asked() {
  local expected=$2 wanted=$1
  shift 2
  run check "$file" "$@"
  [ "$status" = "$wanted" ] || fail "status $status instead of $wanted for: $*"
  [ "$(cat "$scratch/out")" = "$expected" ] || fail "not said: $expected"
}

names() {
  cat >"$file" <<'END'
{"mcpServers": {"a": {"command": "true", "access": {"tools": {"x": {"scopes": ["write"]}}}}},
 "gateway": {"auth": {"keys": "keys"}}}
END
  asked 0 'bob, by a key
  scopes: none
  expires: never
comes in
server a: allowed
  tools x: needs the scopes write, of which it lacks write' --as bob
  asked 1 'bob, by a key
  scopes: none
  expires: never
comes in
tool a/x: needs the scopes write, of which it lacks write
  server a: allowed
  tools x: needs the scopes write, of which it lacks write' --as bob --tool a/x
  asked 1 'bob, by a key
  scopes: none
  expires: never
there is no server of that name' --as bob --tool b/x
  asked 1 'refused with 401, the key has expired' --as ada
  asked 1 "no key of '$scratch/keys' has the name, and no certificates are asked for (tls.clientCa, --tls-client-ca)" --as eve
  asked 1 'refused with 401, the key is not known' --as "troupe_$(printf %064d 1)"
  asked 1 'there is no issuer (auth.issuer) whose token could name him' --subject ada
  run check "$file" --as - # on stdin is nothing
  [ "$status" = 1 ] || fail "status $status for nobody"
  grep -qF 'on stdin' "$scratch/err" || fail "stdin is not named"
}

only_warnings() {
  checked 0 "$file:1: warning: mcpServers.a.dbug: is not known" <<<'{"mcpServers": {"a": {"command": "true", "dbug": 1}}}'
}

programs() {
  printf '#!/bin/sh\n' >"$scratch/found"
  chmod +x "$scratch/found"
  : >"$scratch/plain"
  checked 0 "$file:3: warning: mcpServers.b.command: is not found in the directories of \`PATH\`: install it, or write the whole path
$file:5: warning: mcpServers.d.command: is a file that is not there
$file:6: warning: mcpServers.e.command: is no file that may be executed
$file:7: warning: mcpServers.f.command: is no file that may be executed" <<END
{"mcpServers": {
"a": {"command": "found", "env": {"PATH": "/none:$scratch"}},
"b": {"command": "found"},
"c": {"command": "./found"},
"d": {"command": "./none/hid-den"},
"e": {"command": "./plain"},
"f": {"command": "/tmp"},
"g": {"command": "/none", "disabled": true},
"h": {"url": "http://host/mcp"}}}
END
  if grep -qF hid-den "$scratch/out"; then fail "a value is shown"; fi
}

no_file() {
  run check --config "$scratch/none"
  [ "$status" = 1 ] || fail "status $status without a file"
  grep -qxF "$scratch/none: error: cannot be read: No such file or directory" "$scratch/out" || fail "not said why"
}

a_relative_path() {
  # shellcheck disable=SC2016 # the variables are the file's
  echo '{"mcpServers": {"a": {"command": "true", "cwd": "${workspaceFolder}"}}}' >"$file"
  cd "$scratch"
  for path in mcp.json ./mcp.json; do
    run check -c "$path"
    [ "$status" = 0 ] || fail "status $status for a relative path"
    run check "$path"
    [ "$status" = 0 ] || fail "status $status without --config"
    grep -qxF '1 server, no problems' "$scratch/out" || fail "$path is not read"
  done
}

# `serve` prints to stderr what `check` prints to stdout.
serve_refuses() {
  # shellcheck disable=SC2016
  echo '{"mcpServers": {"a": {"command": "true", "sharing": "hid-den ${HOME}"}}, "gatewy": 1}' >"$file"
  run serve --config "$file" --port 0
  [ "$status" = 1 ] || fail "status $status for a bad file"
  [ "$(wc -l <"$scratch/err")" = 2 ] || fail "not both problems"
  grep -qF "$file:1: error: mcpServers.a.sharing: must be one of" "$scratch/err" || fail "the error is not printed"
  if grep -qF hid-den "$scratch/err"; then fail "a value is shown"; fi
}

flags
good_files
bad_files
clusters
cluster_flags
reach
operators
names
only_warnings
programs
no_file
a_relative_path
serve_refuses
[ "$failures" = 0 ]
