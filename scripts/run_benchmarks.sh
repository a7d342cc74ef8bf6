#!/usr/bin/env bash
# run_benchmarks.sh FOLDER [arguments of Google Benchmark...]: runs every benchmark program and writes its results to
# FOLDER/bench/NAME.json.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="$1"
shift
mkdir -p "$folder/bench"
for source in bench/*_bench.cpp; do
  name="$(basename "$source" _bench.cpp)"
  "$folder/bin/bench_$name" --benchmark_out="$folder/bench/$name.json" --benchmark_out_format=json "$@"
done
