#!/usr/bin/env bash
# run_fuzzers.sh FOLDER SECONDS: runs every fuzz target of a build folder for a bounded time, starting from its seeds.
# New inputs are kept in FOLDER/corpus, failing inputs in FOLDER/crashes.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="$1" seconds="$2"
mkdir -p "$folder/crashes"
for source in fuzz/*.cpp; do
  name="$(basename "$source" .cpp)"
  mkdir -p "$folder/corpus/$name"
  echo "fuzzing $name for $seconds s"
  options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0)
  [[ -f "fuzz/corpus/$name.dict" ]] && options+=(-dict="fuzz/corpus/$name.dict")
  "$folder/bin/fuzz_$name" "${options[@]}" -artifact_prefix="$folder/crashes/$name-" \
    "$folder/corpus/$name" "fuzz/corpus/$name"
done
