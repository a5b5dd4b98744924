# shellcheck shell=bash
# The parts of deploy/test: runs them, one beside another where that saves time, and tells how long each took. To be
# sourced after lib.sh.

started=$EPOCHSECONDS
# A line for each part that has ended: seconds, seconds of processor time, name.
figures=$(mktemp)
declare -A running=()
# Each part is a group of processes of its own, so that it can be stopped whole.
set -m
trap 'exit 130' INT
trap 'exit 143' TERM

# start NAME COMMAND...: runs the command in the background.
start() {
  local name=$1
  shift
  (
    set +m
    since=$EPOCHSECONDS
    trap 'exit 143' TERM
    trap 'note_figures "$name"' EXIT
    "$@"
  ) </dev/null &
  running[$name]=$!
}

# await NAME: waits for the part to end, and fails when it did.
await() {
  local pid=${running[$1]}
  wait "$pid" || return
  unset "running[$1]"
}

# part NAME COMMAND...: runs the command and waits for it.
part() {
  start "$@"
  await "$1"
}

# In a part's own shell, which alone can tell the processor time of its processes that have ended.
note_figures() {
  local result=$? name=$1 spent
  spent=$(mktemp)
  times >"$spent"
  case $result in
  0) ;;
  143) name="$name, stopped" ;;
  *) name="$name, which failed" ;;
  esac
  awk -v name="$name" -v seconds=$((EPOCHSECONDS - since)) '
    { for (i = 1; i <= 2; ++i) { split($i, time, "[ms]"); processor += time[1] * 60 + time[2] } }
    END { printf "%d\t%.0f\t%s\n", seconds, processor, name }' "$spent" >>"$figures"
  rm "$spent"
}

stop_parts() {
  local pid
  for pid in ${running[@]+"${running[@]}"}; do
    kill -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

# show_parts BUDGET: prints what each part took beside what the file BUDGET allows, and then each part above it.
show_parts() {
  printf '%s\t%s\t%s\n' $((EPOCHSECONDS - started)) "$(awk -F '\t' '{ sum += $2 } END { print sum + 0 }' "$figures")" \
    'in all' >>"$figures"
  say "Seconds, processor seconds, and the budget of both"
  awk -F '\t' -v budget="$1" '
    BEGIN {
      while ((getline line <budget) > 0)
        if (line !~ /^#/) {
          split(line, word, " ")
          name = line
          sub(/^ *[0-9]+ +[0-9]+ +/, "", name)
          wall[name] = word[1]
          processor[name] = word[2]
        }
    }
    {
      allowed = $3 in wall ? sprintf("%6d %6d", wall[$3], processor[$3]) : "     -      -"
      printf "%6d %6d  %s  %s\n", $1, $2, allowed, $3
      if ($3 in wall && $1 > wall[$3]) above = above sprintf("above its budget: %s, %d s of %d\n", $3, $1, wall[$3])
      if ($3 in wall && $2 > processor[$3])
        above = above sprintf("above its budget: %s, %d s of processor time of %d\n", $3, $2, processor[$3])
    }
    END { printf "%s", above }' "$figures"
}
