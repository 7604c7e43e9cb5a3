# Configures and builds the presets of CMakePresets.json.
# Sourced by the tools, never run.
# shellcheck shell=bash

# configure_preset PRESET [CMAKE_ARGUMENT...]: in build/PRESET.
configure_preset() {
  local preset="$1" folder="$ROOT/build/$1"
  shift
  # A tree that was moved or copied brings a cache that points elsewhere: start afresh.
  if [[ -f $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$ROOT" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  mkdir -p "$folder"
  local -a arguments=("$@")
  if command -v ccache >/dev/null; then
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  local log="$folder/configure.log"
  if ! (cd "$ROOT" && cmake --preset "$preset" "${arguments[@]}") >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    die "cmake could not configure build/$preset (its words are above; all of them: $log)."
  fi
}

# build_preset PRESET [CMAKE_ARGUMENT...] [--target TARGET...]: into build/PRESET, with ninja's progress on the terminal.
build_preset() {
  local -a configure=() targets=()
  while (($# > 0)) && [[ $1 != --target ]]; do
    configure+=("$1")
    shift
  done
  targets=("$@")
  configure_preset "${configure[@]}"
  NINJA_STATUS='[%p %f/%t %es] ' cmake --build "$ROOT/build/${configure[0]}" --parallel "$JOBS" "${targets[@]}" ||
    die "build/${configure[0]} does not build."
}
