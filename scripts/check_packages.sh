#!/usr/bin/env bash
# Unpacks the Debian packages in FOLDER into an empty prefix and tries what is in them.
#
# usage: check_packages.sh FOLDER
set -euo pipefail
folder=$(realpath "${1:?usage: check_packages.sh FOLDER}")
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

shopt -s nullglob
packages=("$folder"/*.deb)
[ ${#packages[@]} -ge 3 ] || { echo "there are only ${#packages[@]} packages in $folder" >&2; exit 1; }
for package in "${packages[@]}"; do
  dpkg-deb --info "$package" >/dev/null
  dpkg-deb --extract "$package" "$prefix"
done
kane=$prefix/usr/bin/kane
models=$prefix/usr/share/kane/models
cd "$prefix"
"$kane" --version
"$kane" check "$models/fourbar.yaml" >/dev/null
"$kane" derive "$models/planar2r.yaml" --step 8 | grep -q "u2'"
"$kane" simulate "$models/fourbar.yaml" --until 0.1 --out run.csv --report page.html --quiet
[ "$(wc -l <run.csv)" -gt 100 ] && grep -q "</html>" page.html
[ -e "$prefix/usr/include/kane/kane.hpp" ]
[ -n "$(find "$prefix/usr/lib" -name KaneConfig.cmake)" ]
[ -n "$(find "$prefix/usr/lib" -name libkane_expr.a)" ]
[ -e "$prefix/usr/share/doc/kane-doc/README.md" ]
if [ -d "$prefix/usr/lib/python3/dist-packages/kane" ]; then
  PYTHONPATH=$prefix/usr/lib/python3/dist-packages /usr/bin/python3 -c "
import kane
model = kane.load('$models/planar2r.yaml')
assert len(model.simulate(0.1)) > 10
assert kane.Ticks(model).tick(10).ticks == 10
assert model.sweep({'m': [1.0, 2.0]}, 'end(q1)', until=0.1).ok.all()"
fi
echo "${#packages[@]} packages work:"
for package in "${packages[@]}"; do echo "  $(basename "$package")  $(du -h "$package" | cut -f1)"; done
