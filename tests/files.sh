# shellcheck shell=bash
# Shared by rooms.sh, hidden_names.sh and sources.cjs: which files there are. To be sourced.

# Files that are committed or about to be.
files() {
  git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" |
    while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done
}
