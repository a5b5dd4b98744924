#!/usr/bin/env bash
# A conversation with the example server over its stdin and stdout. usage: example_server.sh PROGRAM
set -euo pipefail
program=$1
failures=0

coproc server { exec "$program" example-server; }
# shellcheck disable=SC2154 # set by coproc
server_id=$server_PID

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# tell LINE...: sends all lines at once.
tell() { printf '%s\n' "$@" >&"${server[1]}"; }

# hears TEXT: expects the text in the server's next line.
hears() {
  local line=''
  read -r -t 30 line <&"${server[0]}" || true
  case $line in *"$1"*) ;; *) fail "expected $1, heard: $line" ;; esac
}

# hears_both TEXT TEXT: expects the texts in the server's next two lines, in either order.
hears_both() {
  local one='' other=''
  read -r -t 30 one <&"${server[0]}" || true
  read -r -t 30 other <&"${server[0]}" || true
  case "$one$other" in *"$1"*"$2"* | *"$2"*"$1"*) ;; *) fail "expected $1 and $2, heard: $one $other" ;; esac
}

# request ID METHOD PARAMS
request() { tell '{"jsonrpc":"2.0","id":'"$1"',"method":"'"$2"'","params":'"$3"'}'; }

# call ID TOOL ARGUMENTS [TOKEN]
call() { request "$1" tools/call '{"name":"'"$2"'","arguments":'"$3"',"_meta":{'"${4:+\"progressToken\":$4}"'}}'; }

cancellation() { printf '%s' '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":'"$1"'}}'; }
cancel() { tell "$(cancellation "$1")"; }

# The server handles its lines in order, so the answer to this ping is next only if no other output was pending.
is_silent() {
  request '"silent"' ping '{}'
  hears '"id":"silent","result":{}'
}

initialize() {
  request 1 initialize '{"protocolVersion":"'"$1"'","capabilities":'"$2"',"clientInfo":{"name":"t","version":"1"}}'
}

says_which_revision_it_speaks() {
  local revision
  for revision in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
    initialize "$revision" '{}'
    hears '"protocolVersion":"'"$revision"'"'
  done
  initialize 2019-01-01 '{}'
  hears '"protocolVersion":"2025-11-25"'
  tell '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  is_silent
}

refuses_what_it_cannot_read() {
  tell '{bad'
  hears '"id":null,"error":{"code":-32700'
  tell '[]'
  hears '"id":null,"error":{"code":-32600'
  tell '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'
  hears '"id":null,"error":{"code":-32600'
  request 1 no/such '{}'
  hears '"id":1,"error":{"code":-32601'
  call 1 nobody '{}'
  hears '"id":1,"error":{"code":-32602'
  tell '{"jsonrpc":"2.0","method":"notifications/unheard-of"}'
  is_silent
}

has_tools() {
  request 1 tools/list '{}'
  hears '"tools":[{"name":"echo"'
  call '"a"' echo '{"message":"Grüße"}'
  hears '"id":"a","result":{"content":[{"type":"text","text":"Grüße"}]}'
  call 9007199254740993 add '{"a":2,"b":3}'
  hears '"id":9007199254740993,"result":{"content":[{"type":"text","text":"5"}]}'
  call 1 add '{"a":0.5,"b":-2}'
  hears '"text":"-1.5"'
  call 1 add '{"a":"x","b":1}'
  hears '"isError":true'
  call 1 fail '{}'
  hears '"isError":true'
}

takes_its_time() {
  call 1 slow '{"steps":2,"delay_ms":20}' '"token"'
  hears '"method":"notifications/progress","params":{"progressToken":"token","progress":1,"total":2'
  hears '"progressToken":"token","progress":2,"total":2'
  hears '"id":1,"result"'
  call 1 slow '{"steps":0}'
  hears '"isError":true'
}

does_several_things_at_a_time() {
  call 1 slow '{"steps":1,"delay_ms":60000}'
  is_silent
  call 2 slow '{"steps":1,"delay_ms":20}'
  hears '"id":2,"result"'
  cancel 1
  call 3 slow '{"steps":1,"delay_ms":100}'
  call 4 slow '{"steps":1,"delay_ms":100}'
  hears_both '"id":3,"result"' '"id":4,"result"'
}

# The cancellation is sent together with the call. On a busy machine the call might end before a later one.
stops_when_told() {
  tell '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"steps":1,"delay_ms":500}}}' \
    "$(cancellation 1)"
  call 2 slow '{"steps":1,"delay_ms":1000}'
  hears '"id":2,"result"'
  cancel 2
  is_silent
}

asks() {
  call 1 ask '{"question":"why?"}'
  hears '"isError":true'
  initialize 2025-06-18 '{"elicitation":{}}'
  hears '"id":1,"result"'
  call 2 ask '{"question":"why?"}'
  hears '"id":1,"method":"elicitation/create","params":{"message":"why?","requestedSchema"'
  tell '{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"answer":"because"}}}'
  hears '"id":2,"result":{"content":[{"type":"text","text":"The user answered: because"}]}'
  call 3 ask '{"question":"why?"}'
  hears '"id":2,"method":"elicitation/create"'
  tell '{"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}'
  hears 'The user declined'
  call 4 ask '{"question":"why?"}'
  hears '"id":3,"method":"elicitation/create"'
  cancel 4
  hears '"method":"notifications/cancelled","params":{"requestId":3'
  tell '{"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}}'
  is_silent
  call 5 ask '{"question":"why?"}'
  hears '"id":4,"method":"elicitation/create"'
  tell '{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"no screen"}}'
  hears 'no screen'
}

has_a_resource_and_a_prompt() {
  request 1 resources/list '{}'
  hears '"uri":"example://greeting"'
  request 1 resources/read '{"uri":"example://greeting"}'
  hears '"contents":[{"uri":"example://greeting"'
  request 1 resources/read '{"uri":"example://nothing"}'
  hears '"code":-32002'
  request 1 prompts/list '{}'
  hears '"name":"greet"'
  request 1 prompts/get '{"name":"greet","arguments":{"name":"Ann"}}'
  hears 'greet Ann'
  request 1 prompts/get '{"name":"greet"}'
  hears '"code":-32602'
}

ends_with_its_input() {
  local status=0
  call 1 slow '{"steps":1,"delay_ms":60000}'
  # shellcheck disable=SC1083,SC2093
  exec {server[1]}>&-
  wait "$server_id" || status=$?
  [ "$status" = 0 ] || fail "status $status at the end of input"
}

crashes_when_told() {
  local status=0
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crash"}}' |
    "$program" example-server >/dev/null || status=$?
  [ "$status" != 0 ] || fail "crash did not crash"
}

says_which_revision_it_speaks
refuses_what_it_cannot_read
has_tools
takes_its_time
does_several_things_at_a_time
stops_when_told
asks
has_a_resource_and_a_prompt
ends_with_its_input
crashes_when_told
[ "$failures" = 0 ]
