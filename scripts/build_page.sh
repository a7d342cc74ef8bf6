#!/usr/bin/env bash
# build_page.sh WEB FOLDER: bundles the pages of the folder WEB, by Node.js, into FOLDER/out. The packages that they use come
# from npm as web/package-lock.json pins them, once for each version of that file. Without Node.js or without the packages
# the bundles are empty, and the next build tries again.
set -euo pipefail

web=$1 folder=$2 out=$2/out
bundles=(workbench.js workbench.css live.js live.css kernel.mjs)
mkdir -p "$out"

give_up() {  # WHY
  echo "warning: the pages of 'kane serve' and 'kane export --to page' are left out: $1" >&2
  for file in "${bundles[@]}"; do
    : >"$out/$file"
    touch -d 2000-01-01 "$out/$file"  # older than the sources: not up to date
  done
  exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || give_up "they need Node.js 18 or later and npm"
major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
[ "$major" -ge 18 ] || give_up "they need Node.js 18 or later, not $(node --version)"

rm -rf "$folder/src"
cp -R "$web"/{package.json,package-lock.json,.npmrc,build.mjs,src} "$folder"
cd "$folder"
if ! cmp -s package-lock.json node_modules/installed.json; then
  for try in 1 2 3; do
    npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1 && break
    [ "$try" -lt 3 ] || give_up "npm could not install their packages ($(grep -m1 -i error npm.log || echo "see $folder/npm.log"))"
    sleep $((2 * try))
  done
  cp package-lock.json node_modules/installed.json
fi
node build.mjs "$out"
