#!/usr/bin/env bash
# Tests the completion scripts in their shells. usage: completion.sh PROGRAM
set -euo pipefail
program=$1
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# in_bash WORDS...: the completions of the last word.
in_bash() {
  bash -c '
    eval "$("$1" completion bash)"
    compopt() { :; } # outside of a completion it fails
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _troupe
    printf "%s\n" "${COMPREPLY[@]}"' - "$program" "$@"
}

in_fish() {
  fish --no-config -c 'source $argv[1]; complete -C "$argv[2]" | string replace -r "\t.*" ""' "$scratch/troupe.fish" "$*"
}

# zsh only completes on a terminal, which zpty provides.
in_zsh() {
  "$program" completion zsh >"$scratch/_troupe"
  zsh -f "${BASH_SOURCE[0]%/*}/completion.zsh" "$scratch" >"$scratch/zsh" 2>&1 || { cat "$scratch/zsh"; fail "zsh"; }
}

# offered SHELL EXPECTED WORDS...: expects this among the completions of the last word.
offered() {
  local shell=$1 expected=$2
  shift 2
  grep -qxF -e "$expected" <<<"$("in_$shell" "$@")" || fail "$shell does not offer '$expected' for: $*"
}

# withheld SHELL UNEXPECTED WORDS...
withheld() {
  local shell=$1 unexpected=$2
  shift 2
  if grep -qxF -e "$unexpected" <<<"$("in_$shell" "$@")"; then fail "$shell offers '$unexpected' for: $*"; fi
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$program" completion fish >"$scratch/troupe.fish"
for shell in bash fish; do
  command -v $shell >/dev/null || continue
  offered $shell serve troupe se
  offered $shell sessions troupe se
  offered $shell --port troupe serve --po
  offered $shell --max-sessions troupe serve --port 1 --max-s
  offered $shell debug troupe serve --log-level d
  offered $shell warning troupe serve --log-level w
  offered $shell new troupe key n
  offered $shell --expires troupe key new --e
  offered $shell zsh troupe completion z
  withheld $shell --max-body troupe check --max
  withheld $shell --port troupe serve -- server --po
done
touch "$scratch/some.json"
offered bash "$scratch/some.json" troupe serve --config "$scratch/so"
offered bash "$scratch/some.json" troupe check "$scratch/so"
if command -v zsh >/dev/null; then in_zsh; fi
[ "$failures" = 0 ]
