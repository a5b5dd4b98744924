#!/usr/bin/env bash
# Fails when a name from a source's unnamed namespace is also declared in a header that its room sees, or in the unnamed
# namespace of another source of the room. Sources are compiled in groups, where such a name is visible to the sources
# after it: it hides what the header declares, or another overload is called, and the compiler reports nothing. Prints
# each offence, with file and line.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@"
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/files.sh

# names FILES...: prints `file line namespace kind name` for each name in a source's unnamed namespace and in a header's
# namespaces. It relies on the format of the files: a declaration in a namespace begins its line, anything else is
# indented.
names() {
  # shellcheck disable=SC2016 # the dollars are awk's
  files "$@" | xargs -r -d '\n' awk '
    # TEXT up to and including the first of ENDS, without template arguments; empty without such a character.
    function head(text, ends,   result, nested, at, c) {
      for (at = 1; at <= length(text); ++at) {
        c = substr(text, at, 1)
        if (c == "<") ++nested
        else if (c == ">") --nested
        else if (!nested) result = result c
        if (!nested && index(ends, c)) return result
      }
      return ""
    }
    function found(kind, name,   space, i, unnamed) {
      space = "::"
      for (i = 1; i <= depth; ++i) {
        if (opened[i] == "{") unnamed = 1
        else space = space opened[i] "::"
      }
      if (unnamed == is_source) print FILENAME, begun, space, kind, name
    }
    # Reports the name that TEXT declares, and whether TEXT is long enough to decide.
    function declares(text,   before, kind) {
      if (text ~ "^((using )?namespace|using enum|static_assert|template class|public|private|protected)") return 1
      if (text ~ "(^|[^a-z_])operator[^a-z_]") return 1
      sub("^template ", "", text)
      before = head(text, "(={;")
      if (before == "") return 0
      kind = before ~ "[(]$" ? "function" : "constant"
      if (before ~ "^ *using ") {
        kind = before ~ ";$" ? "using" : "type"
        sub(".*::", " ", before)
      } else if (before ~ "^ *(struct|class|union|enum) " && before !~ "[(]$") {
        kind = "type"
        gsub("::", ".", before)
        before = head(before, ":{;")
        sub(" final", "", before)
      }
      sub("(\\[[^]]*\\])* *[(=:{;]$", "", before)
      if (!sub(".*[ *&]", "", before) || before !~ "^[a-zA-Z_][a-zA-Z0-9_]*$") return 1
      found(kind, before)
      if (kind == "constant") others(text)
      return 1
    }
    # Reports the constants that follow the first in its declaration, if they are on the same line.
    function others(text,   nested, at, c, rest) {
      gsub(/"([^"\\]|\\.)*"/, "", text)
      for (at = 1; at <= length(text); ++at) {
        c = substr(text, at, 1)
        rest = substr(text, at + 1)
        if (c ~ /[({[]/) ++nested
        else if (c ~ /[])}]/) --nested
        else if (!nested && c == "," && match(rest, /^ *[a-z_][a-z0-9_]* *[={;]/)) {
          rest = substr(rest, 1, RLENGTH - 1)
          gsub(" ", "", rest)
          found("constant", rest)
        }
      }
    }
    # Skips the content of raw literals, whose lines may begin anywhere.
    function inside_literal(line,   at, was) {
      was = literal != ""
      while (literal != "" || match(line, /R"[a-z]*[(]/)) {
        if (literal == "") {
          literal = ")" substr(line, RSTART + 2, RLENGTH - 3) "\""
          line = substr(line, RSTART + RLENGTH)
        }
        if (!(at = index(line, literal))) break
        line = substr(line, at + length(literal))
        literal = ""
      }
      return was
    }
    # A file that was parsed wrongly must not pass.
    function check_end() {
      if (depth) print last ":1: its namespaces do not end as tests/hidden_names.sh expects" > "/dev/stderr"
      failed = failed || depth
    }
    FNR == 1 { check_end(); last = FILENAME; is_source = last ~ "[.]cpp$"; depth = 0; text = literal = "" }
    literal != "" || /R"/ { if (inside_literal($0)) next }
    /^namespace .*[{]$/ { opened[++depth] = $2; indented = 0; next }
    /^}/ { if ($0 ~ "// namespace" || !indented) --depth; indented = 0; next }
    /^$|^#|^ *\/\// { next }
    { indented = /^ / }
    text == "" { if (indented) next; begun = FNR }
    {
      sub(/ *\/\/.*/, "")
      text = text (text == "" ? "" : " ") $0
      if (declares(text)) text = ""
    }
    END { check_end(); exit failed }'
}

# offences: reports the violations among the names that it reads.
offences() {
  # shellcheck disable=SC2016
  awk '
    # Whether one namespace equals or encloses the other.
    function encloses(outer, inner) { return index(inner, outer) == 1 }
    function meet(one, other) { return encloses(one, other) || encloses(other, one) }
    function hides(i, header, there) {
      if (room(header) == room(file[i])) return meet(space[i], there)
      return room(header) < room(file[i]) && encloses(there, space[i])
    }
    function room(file) { sub("/.*", "", file); return index("protocol net actors deploy", file) }
    function report(i, what) { printf "%s:%d: %s is also declared in %s\n", file[i], line[i], name[i], what }
    $1 ~ "[.]hpp$" { headers[$5] = headers[$5] " " $1 " " $3; next }
    ($1, $5) in seen { next }
    { seen[$1, $5]; ++count; file[count] = $1; line[count] = $2; space[count] = $3; kind[count] = $4; name[count] = $5 }
    END {
      for (i = 1; i <= count; ++i) {
        words = split(headers[name[i]], word, " ")
        for (j = 1; j < words; j += 2)
          if (hides(i, word[j], word[j + 1])) report(i, word[j])
        users = split(sources[name[i]], user, " ")
        for (j = 1; j <= users; ++j) {
          k = user[j]
          if (kind[i] != "using" && file[k] != file[i] && room(file[k]) == room(file[i]) && meet(space[i], space[k]))
            report(i, file[k])
        }
        if (kind[i] != "using") sources[name[i]] = sources[name[i]] " " i
      }
    }' | sort -u
}

found=$(names 'protocol/*.[hc]pp' 'net/*.[hc]pp' 'actors/*.[hc]pp' 'deploy/*.[hc]pp' | offences)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
