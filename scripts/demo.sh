#!/usr/bin/env bash
# demo.sh KANE: a short tour of the command. Prints each command before its output.
set -euo pipefail

kane="$(realpath "$1")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

say() { printf '\n%s\n' "$1"; }
show() {
  local words="" word
  for word in "$@"; do
    if [[ "$word" =~ ^[A-Za-z0-9=._/-]+$ ]]; then words+=" $word"; else words+=" '$word'"; fi
  done
  printf '$ kane%s\n' "$words"
  "$kane" "$@" 2>&1
}

say "Equal expressions are recognised, however they are written:"
show expr 'sin(q)^2 + cos(q)^2'
show expr 'sin(q1 + q2) - sin(q1)*cos(q2) - cos(q1)*sin(q2)'
show expr '(x^2 - 1)/(x - 1) - x'

say "A mechanism is a readable file. This one is a two-link robot; its equations, as a textbook prints them:"
show derive models/planar2r.yaml --step 2 --step 8

say "The same model at a state: accelerations, mass matrix, energies:"
show evaluate models/planar2r.yaml --set q1=0.4 --set q2=-0.7

say "Three seconds of its motion:"
show simulate models/planar2r.yaml --out "$work/planar2r.csv" --plot q1,q2

say "With 'speeds: auto' Kane finds the generalized speeds that make the equations of a spherical wrist short:"
show derive models/wrist_auto.yaml --compare

say "A bicycle with rolling wheels, compiled to machine code:"
show bench models/bicycle_nonlinear.yaml

say "A mistake in a model gets a clear message:"
sed 's/parent: A, at/parent: Aa, at/' models/planar2r.yaml > "$work/mistake.yaml"
show check "$work/mistake.yaml" || echo "(exit code $?)"

say "Try next: build/bin/kane derive models/bicycle_nonlinear.yaml -o bicycle.html, and docs/README.md."
