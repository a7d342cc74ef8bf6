#!/usr/bin/env bash
# run.sh KANE SOURCE FOLDER: checks the types of the pages, installs the pinned driver into FOLDER once, and runs the tests.
set -e
kane=$1 source=$2 folder=$3
install() {  # in a folder with a lock file, once for each version of it
  cmp -s "$1/package-lock.json" "$1/node_modules/installed.json" && return
  for pause in 5 20 0; do  # a registry may be out of reach for a moment
    (cd "$1" && npm ci --no-audit --no-fund --ignore-scripts) && break
    [ "$pause" != 0 ] || return 1
    sleep "$pause"
  done
  cp "$1/package-lock.json" "$1/node_modules/installed.json"
}
mkdir -p "$folder/page"
cp "$source"/tests/web/{package.json,package-lock.json,.npmrc,*.mjs} "$folder"
rm -rf "$folder/page/src"
cp -R "$source"/web/{package.json,package-lock.json,.npmrc,tsconfig.json,build.mjs,src} "$folder/page"
install "$folder"
install "$folder/page"
if [ -z "$ONLY" ]; then
  (cd "$folder/page" && node_modules/.bin/tsc -p .)
  echo "types: ok"
fi
cd "$folder"
exec node browser_test.mjs "$kane" "$source"
