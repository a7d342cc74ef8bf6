#!/usr/bin/env bash
# demo.sh KANE: a short tour of the command. Prints each command before its answer.
set -euo pipefail

kane="$1"

say() { printf '\n%s\n' "$1"; }
show() {
  local words="" word
  for word in "$@"; do
    if [[ "$word" =~ ^[A-Za-z0-9=._/-]+$ ]]; then words+=" $word"; else words+=" '$word'"; fi
  done
  printf '$ kane%s\n' "$words"
  "$kane" "$@" 2>&1
}

say "Expressions that are equal are one and the same, however they are written:"
show expr 'sin(q)^2 + cos(q)^2'
show expr 'sin(q1 + q2) - sin(q1)*cos(q2) - cos(q1)*sin(q2)'
show expr '(x^2 - 1)/(x - 1) - x'

say "Kinetic energy of a pendulum of two links, differentiated by the angle between them:"
energy="m*L^2*(3/2*u1^2 + cos(q2)*u1^2 + (1 + cos(q2))*u1*u2 + u2^2/2)"
show expr "$energy" --derivative q2 --literal
show expr "$energy" --derivative q2 --literal --latex
show expr "$energy" --derivative q2 --count

say "Numbers are exact until the end:"
show expr '0.1 + 0.2 - 0.3'
show expr 'sqrt(g/L)/(2*pi)' --set g=9.81 --set L=0.3

say "A mistake gets a sentence:"
show expr '2*x +* y' || echo "(exit code $?)"
