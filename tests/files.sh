# shellcheck shell=bash
# To be sourced. Lists the files of the tree for rooms.sh, hidden_names.sh and sources.cjs.

# Files that are tracked or not ignored by git.
files() {
  git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" |
    while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done
}
