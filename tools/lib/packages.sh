# Which Debian packages the project needs, why, and how they get onto the machine.
# Sourced by the tools, never run.
# shellcheck shell=bash disable=SC2034

# name|why
readonly PROGRAM_PACKAGES=(
  'g++|the compiler (C++20, version 12 or newer)'
  'cmake|configures the build (3.25 or newer)'
  'ninja-build|runs the build'
  'libboost1.81-dev|small vectors, and the causal graph behind each verdict (headers only)'
  'libfmt-dev|text formatting'
  'nlohmann-json3-dev|reads and writes JSON'
  'libcli11-dev|the command line'
  'libtbb-dev|runs campaigns and searches, and reads traces, on all cores'
  'graphviz|lays out the provenance graphs of reports'
)
readonly TEST_PACKAGES=(
  'libgtest-dev|the test framework'
  'libgmock-dev|its matchers'
  'librapidcheck-dev|property tests'
  'libbenchmark-dev|benchmarks'
  'chromium|opens the HTML reports'
  'nodejs|drives it through them'
  'npm|brings the driver, playwright-core'
)
readonly CLANG_PACKAGES=(
  'clang|the second compiler: it must give the same traces as g++'
  'libclang-rt-14-dev|the sanitizer runtimes of clang'
  'clang-format|checks the formatting'
  'clang-tidy|static checks'
)

# missing_packages NAME|WHY...: prints the entries whose package is not installed.
missing_packages() {
  local installed entry
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${@%%|*}" 2>/dev/null || true)"
  for entry in "$@"; do
    if [[ $installed != *" installed:${entry%%|*} "* ]] && ! has_another "${entry%%|*}"; then
      printf '%s\n' "$entry"
    fi
  done
}

# has_another PACKAGE: the program is there, from elsewhere than Debian's package.
has_another() {
  case "$1" in
    nodejs) command -v node ;;
    npm | chromium) command -v "$1" ;;
    *) false ;;
  esac >/dev/null
}

# apt_get ARGS...: as root, asking nothing, waiting for a lock that another apt holds.
apt_get() {
  local -a as_root=()
  if ((EUID != 0)); then
    as_root=(sudo -n)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${APT_OPTIONS[@]}" "$@" </dev/null
}
readonly APT_OPTIONS=(-q -y -o DPkg::Lock::Timeout=120 -o Acquire::Retries=2
  -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30)

APT_LOG=''
LISTS_ARE_FRESH=''

# update_lists: once in a run. A failure is told later, if an install then fails: old lists may do.
update_lists() {
  if [[ -n $LISTS_ARE_FRESH ]]; then
    return
  fi
  LISTS_ARE_FRESH=yes
  say 'Fetching the package lists...'
  apt_get update >>"$APT_LOG" 2>&1 || LISTS_ARE_FRESH=no
  # Some versions of apt report lists that could not be fetched as a warning and still succeed.
  if grep -qE '^(W: Failed to fetch|E: )' "$APT_LOG"; then
    LISTS_ARE_FRESH=no
  fi
}

# die_of_apt HOW: apt could not do it, and HOW does it by hand.
die_of_apt() {
  warn 'The last lines of apt:'
  tail -n 15 "$APT_LOG" | sed 's/^/  | /' >&2
  if [[ $LISTS_ARE_FRESH == no ]]; then
    die 'the package lists could not be fetched: is there a network, and does /etc/apt name a mirror it reaches?' \
      'Once there is, start again, or run by hand:' "  $1"
  fi
  die 'apt could not install what is missing (its words are above).' \
    'This needs Debian 12 (bookworm) or a close relative. To see it happen, run by hand:' "  $1"
}

# show_progress: copies apt's words to the log and, on a terminal, shows the latest on one line.
show_progress() {
  local line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$APT_LOG"
    case "$line" in
      'Need to get '*) say "  $line" ;;
      Get:* | Unpacking* | 'Setting up'*) [[ ! -t 1 ]] || printf '\r\e[K  %.76s' "$line" ;;
    esac
  done
  [[ ! -t 1 ]] || printf '\r\e[K'
}

# ensure_packages NAME|WHY...: installs what is missing and touches nothing if nothing is.
ensure_packages() {
  if [[ -n ${MIRRORPROOF_SKIP_PACKAGES:-} ]]; then
    say 'MIRRORPROOF_SKIP_PACKAGES is set: the packages are taken as they are.'
    return
  fi
  local -a names=("${@%%|*}")
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    die 'this machine has no apt: packages are installed by themselves on Debian 12 and its close relatives only.' \
      'Elsewhere install what these Debian packages hold, then start again with MIRRORPROOF_SKIP_PACKAGES=1:' \
      "${names[*]} libvalijson-dev"
  fi
  APT_LOG="$(mktemp)"
  install_missing "$@"
  ensure_valijson
  rm -f "$APT_LOG"
}

install_missing() {
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then
    say "All $# packages are installed."
    return
  fi
  say "Missing packages (${#missing[@]} of $#):"
  local entry
  for entry in "${missing[@]}"; do
    printf '  %-20s %s\n' "${entry%%|*}" "${entry#*|}"
  done

  local -a wanted=("${missing[@]%%|*}")
  local sudo=''
  if ((EUID != 0)) && command -v sudo >/dev/null; then
    sudo='sudo '
  fi
  local by_hand="${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${wanted[*]}"
  if ((EUID != 0)) && ! sudo -n true 2>/dev/null; then
    die 'installing packages needs root, and sudo is not there or would ask for a password.' \
      'Run this once as root, then start again:' "  $by_hand"
  fi

  update_lists
  say 'Installing them...'
  if ! apt_get install --no-install-recommends "${wanted[@]}" 2>&1 | show_progress; then
    die_of_apt "$by_hand"
  fi
  say "Installed ${#wanted[@]} packages."
}

# The schema validator is headers only, but its package depends on all the JSON libraries it could work with, Qt among
# them: 150 packages that nobody here needs. So its headers alone are unpacked into build/headers, unless the package
# is installed already.
ensure_valijson() {
  local header=usr/include/valijson/validator.hpp
  local folder="$ROOT/build/headers"
  if [[ -e /$header || -e $folder/$header ]]; then
    return
  fi
  say 'Unpacking the headers of libvalijson-dev, which checks scenario files against their schema...'
  local download
  download="$(mktemp -d)"
  if ! download_valijson "$download"; then
    update_lists
    download_valijson "$download" || die_of_apt 'apt-get download libvalijson-dev'
  fi
  mkdir -p "$folder"
  dpkg-deb --extract "$download"/libvalijson-dev_*.deb "$folder"
  rm -rf "$download"
}

download_valijson() { (cd "$1" && apt-get "${APT_OPTIONS[@]}" download libvalijson-dev) >>"$APT_LOG" 2>&1 </dev/null; }
