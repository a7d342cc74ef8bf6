#!/usr/bin/env bash
# run_tests.sh FOLDER [arguments of ctest...]: runs the tests of a build folder. The final count is
# written to FOLDER/tests.summary.
set -euo pipefail

folder="$1"
shift
log="$folder/tests.log"
status=0
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
ctest --test-dir "$folder" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log" || status=$?
grep -E '^[0-9]+% tests passed' "$log" > "$folder/tests.summary" || true
if [ "$status" != 0 ]; then  # once more at the end, where a long log is read first: what the tests that failed printed
  python3 "$(dirname "${BASH_SOURCE[0]}")/failed_tests.py" "$folder/Testing/Temporary" || true
fi
exit "$status"
