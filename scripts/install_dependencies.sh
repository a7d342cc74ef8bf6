#!/usr/bin/env bash
# install_dependencies.sh SECTION...: makes sure that the packages of these sections of packages.txt are installed.
# Returns quickly if they are. KANE_SKIP_DEPENDENCIES=1 skips the check.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[[ "${KANE_SKIP_DEPENDENCIES:-0}" == 1 ]] && exit 0
[[ $# -gt 0 ]] || { echo "usage: install_dependencies.sh SECTION... (the sections of packages.txt)" >&2; exit 2; }

packages_of() {  # SECTION
  awk -v section="[$1]" '
    /^\[/ { inside = ($0 == section); found = found || inside; next }
    !inside || !NF || /^#/ { next }
    $2 ~ /^unless:/ && system("command -v " substr($2, 8) " >/dev/null 2>&1") == 0 { next }
    { print $1 }
    END { exit !found }' "$here/packages.txt"
}

wanted=()
for section in "$@"; do
  list="$(packages_of "$section")" || { echo "error: packages.txt has no section [$section]" >&2; exit 2; }
  mapfile -t -O "${#wanted[@]}" wanted <<<"$list"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  cat >&2 <<EOF
error: this is not a Debian system, so the packages Kane needs cannot be installed for you. Please install the
equivalents of these Debian 12 packages, then run the same command with KANE_SKIP_DEPENDENCIES=1:
  ${wanted[*]}
EOF
  exit 1
fi

installed="$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null | awk '$2 == "installed" { print $1 }' || true)"
mapfile -t missing < <(printf '%s\n' "${wanted[@]}" | sort -u | grep -vxF -f <(printf '%s\n' "$installed") || true)
[[ ${#missing[@]} -eq 0 ]] && exit 0

if [[ "$(id -u)" -ne 0 ]]; then
  cat >&2 <<EOF
error: some Debian packages are missing, and only root can install them. Please run
  sudo apt-get install --no-install-recommends ${missing[*]}
or, if they are available in another way, run the same command with KANE_SKIP_DEPENDENCIES=1.
EOF
  exit 1
fi

echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
# The package lists may be stale or partly unreachable; only the installation itself must succeed.
"${apt[@]}" update || echo "warning: apt-get update failed; trying with the existing package lists" >&2
if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null; then
  echo "error: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
