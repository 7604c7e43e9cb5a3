# What every tool shares: where the tree is, how to speak, and how to say which stage failed.
# Sourced by the tools, never run.
# shellcheck shell=bash disable=SC2034

ROOT="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)"
readonly ROOT
JOBS="${MIRRORPROOF_JOBS:-$(nproc)}"
readonly JOBS

# Colours on a terminal only.
BOLD='' RED='' GREEN='' PLAIN=''
if [[ -t 1 && -z ${NO_COLOR:-} && -z ${CI:-} ]]; then
  BOLD=$'\e[1m' RED=$'\e[31m' GREEN=$'\e[32m' PLAIN=$'\e[0m'
fi

say() { printf '%s\n' "$*"; }

warn() { printf '%s\n' "$@" >&2; }

# die MESSAGE...: one line each, then stop.
die() {
  printf '%serror:%s %s\n' "$RED" "$PLAIN" "$1" >&2
  shift
  local line
  for line in "$@"; do
    printf '       %s\n' "$line" >&2
  done
  exit 1
}

# elapsed: time since the tool was started, as minutes:seconds.
elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

STAGE=''

# stage NAME: opens a stage; a tool that stops before the next one failed in this one.
stage() {
  STAGE="$1"
  printf '\n%s== [%s] %s%s\n' "$BOLD" "$(elapsed)" "$STAGE" "$PLAIN"
}

# The trap of every tool: names the stage that failed.
report_failed_stage() {
  local code=$?
  if ((code != 0)) && [[ -n $STAGE ]]; then
    printf '\n%sFAILED%s after %s in stage: %s\n' "$RED$BOLD" "$PLAIN" "$(elapsed)" "$STAGE" >&2
  fi
  return "$code"
}
trap report_failed_stage EXIT
