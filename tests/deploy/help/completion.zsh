# Types beginnings of command lines in a shell of its own, and looks for what is completed. usage: completion.zsh FOLDER
zmodload zsh/zpty
failures=0

# completed TYPED EXPECTED: a tabulator makes one of the other, thirty seconds at most.
completed() {
  local text= piece=
  zpty -w -n shell "$1"$'\t'
  repeat 600; do
    while zpty -r -t shell piece; do text+=$piece; done
    [[ $text == *$2* ]] && break
    sleep 0.05
  done
  zpty -w -n shell $'\C-u'
  [[ $text == *$2* ]] && return
  print -r -- "FAILED: zsh makes of '$1' not '$2' but: ${(V)text}"
  ((++failures))
}

zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PROMPT='> '; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; print -r ready''now"
zpty -r shell text '*readynow*'
completed 'troupe ser' 'troupe serve'
completed 'troupe serve --max-s' '--max-sessions'
completed 'troupe serve --log-level de' 'debug'
completed 'troupe key n' 'key new'
completed 'troupe completion z' 'completion zsh'
zpty -d shell
((failures == 0))
