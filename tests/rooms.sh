#!/usr/bin/env bash
# Fails when a file includes a header that its room or folder must not include, when a file is over 500 lines, or when
# the top level has an unexpected entry. Prints each offence, with file and line.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/files.sh

# Patterns over what follows `#include`.
libraries='<(boost|caf|cjose|CLI|hiredis|openssl|prometheus|gtest|gmock)/'
std='<[a-z_]+>'
threads='<(thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier)>'
system='<[a-z0-9_/.]+>'
json='<boost/(json|system)[/.]'
none='^$' # matches no header
# Headers of the tree. The arrows below say which of them a folder may include.
ours='"(protocol|net|actors|deploy)/'
# Names by which public headers include each other, so that the includes also work where they are installed.
siblings='"(access_record|admin_options|answer|auth_options|call|callback|gateway|limits|server_options|session_request|tls_options|trace_options)\.hpp"'

# Each code folder, on one or more lines, and the folders above it that it may include. `.` is the room, a word without
# a room is a folder of the same room, and a header stands for itself.
export arrows='
protocol/text
protocol               text
protocol/message       . text
protocol/http          . text message
protocol/metrics       . text message
protocol/trace         . text message http metrics
protocol/access        . text message http
protocol/grants        . text access
protocol/delivery      . text message
protocol/session       . text message delivery
protocol/catalog       . text message
protocol/modern_server . text message
protocol/supervised    . text message modern_server/client_envelope.hpp
protocol/modern_client . text message delivery supervised/initialize_outcome.hpp
protocol/remote        . text message trace modern_server
protocol/connect       . text message modern_server supervised modern_client remote
protocol/oauth         . text access grants remote
protocol/hosted        . text message
protocol/cluster       . text message delivery
protocol/options       text
protocol/handover      .
protocol/admin         . text message http
net                    protocol/text
net/server             . protocol/counts_by_key.hpp protocol/text protocol/http
net/client             . protocol protocol/text protocol/remote
net/child              . protocol/text
net/node               . protocol protocol/text
net/redis              . protocol protocol/text
actors/troupe
actors                 troupe
actors                 protocol protocol/text protocol/message protocol/delivery protocol/session protocol/catalog
actors                 protocol/cluster protocol/handover protocol/access protocol/modern_server/client_envelope.hpp
actors                 protocol/metrics
actors                 protocol/supervised/server_status.hpp protocol/remote/remote_effects.hpp protocol/trace protocol/admin
actors/runtime         . troupe net protocol protocol/text protocol/delivery protocol/metrics protocol/trace
actors/trace           . runtime net net/client protocol/text protocol/metrics protocol/trace
actors/upstream        . troupe runtime net net/child net/client
actors/upstream        protocol protocol/access protocol/text protocol/message protocol/catalog protocol/supervised
actors/upstream        protocol/remote protocol/modern_server protocol/metrics protocol/trace
actors/hosted          . troupe runtime upstream net protocol/text protocol/message protocol/hosted
actors/access          . troupe runtime net net/client protocol protocol/text protocol/access protocol/grants
actors/session         . runtime upstream access net net/server protocol protocol/http protocol/delivery protocol/session
actors/session         protocol/catalog protocol/access protocol/text protocol/message protocol/modern_client
actors/session         troupe protocol/metrics protocol/trace protocol/admin
actors/cluster         . runtime net net/node net/redis protocol protocol/text protocol/cluster protocol/metrics protocol/trace
actors/handover        . troupe runtime access session cluster net protocol protocol/cluster protocol/handover
actors/gateway         . troupe runtime upstream hosted access trace session cluster handover net net/server net/client net/child
actors/gateway         protocol protocol/access protocol/grants protocol/text protocol/session protocol/catalog
actors/gateway         protocol/cluster protocol/supervised protocol/modern_server protocol/options protocol/metrics
actors/gateway         protocol/http protocol/admin protocol/trace protocol/delivery
deploy/log             actors/troupe/gateway.hpp actors/troupe/access_record.hpp
deploy/config          log actors/troupe/gateway.hpp actors/gateway/option_table.hpp actors/troupe/log_level_names.hpp protocol/text protocol/catalog protocol/options
deploy/config          protocol/http/known_paths.hpp protocol/access/permissions.hpp
deploy/example         protocol/text
deploy/operator        log config net/client/waiting_call.hpp net/private_folder.hpp protocol/text protocol/options
deploy/connect         log config/user_folders.hpp net net/client net/server protocol protocol/text protocol/remote protocol/connect protocol/oauth protocol/grants/token_grant.hpp
deploy/connect         actors/troupe/gateway.hpp actors/runtime/event_log.hpp
deploy/help
deploy/import          log config protocol/text protocol/catalog
deploy/program         log config connect example help import operator net/io_thread.hpp actors/troupe/gateway.hpp
deploy/program         actors/gateway/option_table.hpp
deploy/program         actors/troupe/access_key.hpp actors/troupe/access_check.hpp protocol protocol/access protocol/text
deploy/program         protocol/options protocol/http/known_paths.hpp net/server/listening_socket.hpp net/child/server_mark.hpp
deploy/program         net/owned_descriptor.hpp net/other_process.hpp net/frame_stream.hpp net/child/spawn.hpp
deploy/program         protocol/handover/successor.hpp'

# Entries allowed at the top level, besides dot-files.
top='CMakeLists\.txt|CMakePresets\.json|README\.md|LICENSE|actors|net|protocol|tests|deploy'

# room FILES SYSTEM OTHERS [NEVER]: prints the forbidden includes of the files. A room may use its kind of system
# headers and the others named. A library's header is no system header.
room() {
  # shellcheck disable=SC2016 # the dollars are awk's
  files "$1" | xargs -r -d '\n' \
    awk -v std="^$2$" -v others="^($3)" -v never="^${4-$none}" -v libraries="^$libraries" '
    /^[ \t]*#[ \t]*include/ {
      header = $0
      sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
      sub(/[ \t]*(\/\/.*)?$/, "", header)
      seen = header ~ others || (header ~ std && header !~ libraries)
      if (!seen || header ~ never)
        printf "%s:%d: %s is not for this room\n", FILENAME, FNR, header
    }'
}

includes() {
  room 'protocol/*.[hc]pp' "$std" "$json|<boost/(container|url)[/.]|<prometheus/|$ours" "$threads"
  room 'net/*.[hc]pp' "$system" "<boost/(asio|beast|system)[/.]|<(cjose|hiredis|openssl)/|$ours"
  room 'actors/*.[hc]pp' "$std" "<caf/|<boost/json\\.hpp>|$ours|$siblings"
  # Installed headers include no other headers, and only one of them includes CAF.
  for alone in access_key access_record admin_options auth_options limits server_options session_request tls_options trace_options; do room "actors/troupe/$alone.hpp" "$std" "$none"; done
  room 'actors/troupe/gateway.hpp' "$std" '"(access_record|admin_options|auth_options|limits|server_options|session_request|tls_options|trace_options)\.hpp"'
  room 'actors/troupe/access_check.hpp' "$std" '"gateway\.hpp"'
  room 'actors/troupe/caf.hpp' "$std" "<caf/|$siblings"
  for public in answer call callback server; do room "actors/troupe/$public.hpp" "$std" "<boost/json|$siblings"; done
  room 'deploy/*.[hc]pp' "$system" "<CLI/|<toml\\+\\+/|$json|$ours"
}

# folders FILES...: prints the includes that the arrows do not allow, and the arrows that point down.
folders() {
  # shellcheck disable=SC2016
  files "$@" | xargs -r -d '\n' awk '
    function folder(file) { sub("/[^/]*$", "", file); return file }
    function named(word, room) {
      if (word == ".") return room
      return word ~ "^(protocol|net|actors|deploy)(/|$)" ? word : room "/" word
    }
    BEGIN {
      rows = split(ENVIRON["arrows"], row, "\n")
      for (i = 2; i <= rows; ++i) {
        words = split(row[i], word, " ")
        room = word[1]
        sub("/.*", "", room)
        for (j = 2; j <= words; ++j) {
          seen = named(word[j], room)
          if (!((seen ~ "[.]hpp$" ? folder(seen) : seen) in above)) printf "%s: %s is not above it\n", word[1], seen
          sees[word[1], seen]
        }
        above[word[1]]
        sees[word[1], word[1]]
      }
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      split($0, quoted, "\"")
      from = folder(FILENAME)
      to = quoted[2] ~ "/" ? folder(quoted[2]) : from
      if (!((from, to) in sees) && !((from, quoted[2]) in sees))
        printf "%s:%d: %s is not for %s\n", FILENAME, FNR, quoted[2], from
    }'
}

long_files() {
  files protocol/ net/ actors/ deploy/ tests/ ':!tests/**/package-lock.json' ':!*.schema.json' ':!deploy/**/dashboard.json' \
    | xargs -r -d '\n' awk 'FNR == 501 { print FILENAME ":501: over 500 lines" }'
}

top_level() {
  files . | cut -d/ -f1 | sort -u | { grep -vxE "\..*|$top" || true; } | sed 's/$/:1: does not belong at the top level/'
}

offences=$(
  includes
  folders 'protocol/*.[hc]pp' 'net/*.[hc]pp' 'actors/*.[hc]pp' 'deploy/*.[hc]pp'
  long_files
  top_level
)
[ -z "$offences" ] || { printf '%s\n' "$offences"; exit 1; }
