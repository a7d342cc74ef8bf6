#!/usr/bin/env bash
# count_instructions.sh [FOLDER]: instructions per evaluation of machine code made by Kane and by gcc -O3 from the same
# program (7-joint arm, 30-joint tree, 50-joint chain; AVX2), counted by callgrind. FOLDER is the build folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="${1:-build}"
command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 2; }
total() {  # instructions of a whole run
  BENCH_COUNT="$1" BENCH_SYSTEM="$2" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$folder/bin/bench_jit" 2>&1 | sed -n 's/.*Collected : *//p'
}
calls=2000
for system in 0 1 2; do
  none="$(total none "$system")"
  jit="$(total jit "$system")"
  gcc="$(total gcc "$system")"
  names=(arm7 tree30 chain50)
  echo "${names[$system]}: Kane $(((jit - none) / calls)), gcc $(((gcc - none) / calls)) instructions per evaluation"
done
