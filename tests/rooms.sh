#!/usr/bin/env bash
# Fails when a file itself includes what its room must not see, when a source file is over 400 lines (a test over 600),
# or when something stands at the top level that does not belong there. Prints each offence, with file and line.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Patterns over what follows `#include`.
libraries='<(boost|caf|CLI|spdlog|fmt|hiredis|openssl|gtest|gmock)/'
std='<[a-z_]+>'
threads='<(thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier)>'
system='<[a-z0-9_/.]+>'
json='<boost/(json|system)[/.]'
none='^$' # matches no header
# How public headers name each other, so that they find each other where they are installed too.
siblings='"(answer|call|callback|gateway)\.hpp"'

# What belongs at the top level, besides dot-files.
top='CMakeLists\.txt|CMakePresets\.json|README\.md|LICENSE|actors|net|protocol|tests|deploy'

# Files that are committed or about to be.
files() {
  git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" |
    while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done
}

# room FILES SYSTEM OTHERS [NEVER]: prints the includes that the files must not have. A room has its kind of system
# headers and the others named, but a library's header is no system header.
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
  room 'protocol/*.[hc]pp' "$std" "$json|<boost/url[/.]|\"protocol/" "$threads"
  room 'net/*.[hc]pp' "$system" '<boost/(asio|beast|system)[/.]|<(hiredis|openssl)/|"(protocol|net)/'
  room 'actors/*.[hc]pp' "$std" "<caf/|<boost/json\\.hpp>|\"(protocol|net|actors)/|$siblings"
  # What is installed: it stands alone, and CAF is in the one header for hosts that use it.
  room 'actors/troupe/gateway.hpp' "$std" "$none"
  room 'actors/troupe/caf.hpp' "$std" "<caf/|$siblings"
  for public in answer call callback server; do room "actors/troupe/$public.hpp" "$std" "<boost/json|$siblings"; done
  room 'deploy/*.[hc]pp' "$system" "<CLI/|<spdlog/|$json|\"(protocol|deploy)/|\"actors/troupe/gateway.hpp\""
}

# long_files LIMIT FILES...
long_files() {
  local limit=$1
  shift
  # shellcheck disable=SC2016
  files "$@" | xargs -r -d '\n' \
    awk -v limit="$limit" 'FNR == limit + 1 { printf "%s:%d: over %d lines\n", FILENAME, FNR, limit }'
}

top_level() {
  files . | cut -d/ -f1 | sort -u | { grep -vxE "\..*|$top" || true; } | sed 's/$/:1: does not belong at the top level/'
}

offences=$(
  includes
  long_files 400 protocol/ net/ actors/ deploy/
  long_files 600 tests/ ':!tests/**/package-lock.json'
  top_level
)
[ -z "$offences" ] || { printf '%s\n' "$offences"; exit 1; }
