#!/usr/bin/env bash
# run.sh KANE SOURCE FOLDER: installs the pinned driver into FOLDER once, and runs the tests.
set -e
kane=$1 source=$2 folder=$3
mkdir -p "$folder"
cp "$source"/tests/web/{package.json,package-lock.json,.npmrc,browser_test.mjs,drawing.mjs,measuring.mjs} "$folder"
cd "$folder"
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund --ignore-scripts
exec node browser_test.mjs "$kane" "$source"
