#!/usr/bin/env bash
# configure.sh PRESET FOLDER [OPTION=VALUE...]: runs cmake for this preset, but only if FOLDER is not configured that
# way already. (Ninja itself notices when a CMake file changes.)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset="$1" folder="$2"
shift 2
cache="$folder/CMakeCache.txt"

up_to_date() {
  [[ -f "$folder/build.ninja" && "$cache" -nt CMakePresets.json ]] || return 1
  local option
  for option in "$@"; do
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$cache" || return 1
  done
}

fresh=()
if [[ -f "$cache" ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
  fresh=(--fresh)  # the tree was moved or copied together with its build folder
elif up_to_date "$@"; then
  exit 0
fi
cmake --preset "$preset" "${fresh[@]}" "${@/#/-D}"
touch "$cache"
