#!/usr/bin/env bash
# format.sh [--check]: brings all C++ sources into the form of .clang-format, or fails where one is not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arguments=(-i)
[[ "${1:-}" == --check ]] && arguments=(--dry-run -Werror)
# Golden files are what an emitter wrote, not what a person did.
find kane apps tests bench fuzz examples -type d -name golden -prune -o -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -r -n 40 clang-format "${arguments[@]}"
