#!/usr/bin/env bash
# build_docs.sh FOLDER: writes the API reference, as pages for a browser, to FOLDER. Its subject is the headers listed in
# cmake/public_headers.txt (paths from the root of the tree, # begins a comment), and a public name without a comment is
# an error. Without that list it covers all headers, and such names only give a warning in FOLDER/warnings.log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder="$1"
list=cmake/public_headers.txt
mkdir -p "$folder"
if [[ -f "$list" ]]; then
  mapfile -t headers < <(sed 's/#.*//; s/[[:space:]]*$//' "$list" | grep .)
  on_warning=FAIL_ON_WARNINGS
else
  mapfile -t headers < <(find kane -name '*.hpp' | sort)
  on_warning=NO
fi
for header in "${headers[@]}"; do
  [[ -f "$header" ]] || { echo "error: $list names $header, which does not exist" >&2; exit 1; }
done

version="$(sed -n 's/^project(Kane VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
status=0
doxygen - <<EOF || status=$?
$(cat docs/Doxyfile)
PROJECT_NUMBER = $version
OUTPUT_DIRECTORY = "$folder"
INPUT = docs/api.md docs/api.dox ${headers[*]}
WARN_AS_ERROR = $on_warning
WARN_LOGFILE = "$folder/warnings.log"
EOF
if [[ "$status" -ne 0 ]]; then
  cat "$folder/warnings.log" >&2
  exit "$status"
fi
echo "API reference: $folder/index.html ($(grep -c warning "$folder/warnings.log" || true) warnings in $folder/warnings.log)"
