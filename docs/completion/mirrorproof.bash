# Completion for bash: source this file, or copy it to /usr/share/bash-completion/completions/mirrorproof. For zsh:
#   autoload -U +X bashcompinit && bashcompinit && source mirrorproof.bash
# It asks the program itself, so that it is never out of date.

_mirrorproof() {
  local current="${COMP_WORDS[COMP_CWORD]}" program="${COMP_WORDS[0]}" command="${COMP_WORDS[1]:-}" words
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words="$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')"
  elif [[ $current == -* ]]; then
    words="$("$program" "$command" --help 2>/dev/null | sed '/^Examples:/,$d' | grep -oE -e '--[a-z][a-z-]+')"
  else
    local line
    while IFS= read -r line; do
      COMPREPLY+=("$line")
    done < <(compgen -f -- "$current")
    return
  fi
  local word
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen -W "$words" -- "$current")
}

complete -o filenames -F _mirrorproof mirrorproof
