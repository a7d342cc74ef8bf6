#!/usr/bin/env bash
# format.sh [--check]: formats all C++ sources with clang-format, or fails if one is not formatted.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arguments=(-i)
[[ "${1:-}" == --check ]] && arguments=(--dry-run -Werror)
# Golden files are written by emitters, not by people.
find kane apps python tests bench fuzz examples -type d -name golden -prune -o -type f \( -name '*.hpp' -o -name '*.cpp' \) -print0 |
  xargs -0 -r -n 40 clang-format "${arguments[@]}"
