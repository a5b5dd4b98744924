# shellcheck shell=bash
# Shared by deploy/run and deploy/test: what to install, and how to configure and build. To be sourced.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n== %s\n' "$*" >&2; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# -- packages -----------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    command -v sudo >/dev/null || die "needs root or sudo to install packages"
    sudo "$@"
  fi
}

installed() { dpkg-query --show --showformat '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }

# Prints those of the named packages that are not installed.
missing() {
  local package
  for package in "$@"; do
    installed "$package" || echo "$package"
  done
}

# Runs a command; packages that it installs start no service meanwhile (invoke-rc.d: 101 is "not allowed").
without_services() (
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'as_root rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  "$@"
)

# Installs what is missing of the named packages. Asks the package lists for news only when something is.
install_packages() {
  local packages
  mapfile -t packages < <(missing "$@")
  [ ${#packages[@]} -gt 0 ] || return 0
  say "Installing ${packages[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${packages[@]}"
}

# Debian 12 has Boost 1.81 beside an older default; elsewhere the default is new enough.
boost_packages() {
  # shellcheck source=/dev/null
  if [ "$(. /etc/os-release && echo "$ID ${VERSION_ID-}")" = 'debian 12' ]; then
    echo libboost1.81-dev libboost-json1.81-dev libboost-url1.81-dev
  else
    echo libboost-dev libboost-json-dev libboost-url-dev
  fi
}

build_packages() {
  echo g++ cmake ninja-build ccache pkg-config libcaf-dev libhiredis-dev libcjose-dev libssl-dev libcli11-dev \
    libjemalloc-dev prometheus-cpp-dev libtomlplusplus-dev
  boost_packages
}

# For the tests of the operators' console. Ubuntu has Chromium only as a snap; there they are skipped.
browser_packages() {
  # shellcheck source=/dev/null
  if [ "$(. /etc/os-release && echo "$ID")" = debian ]; then printf '%s\n' chromium-headless-shell fonts-dejavu-core; fi
}

# A node or npm from elsewhere than the distribution does as well.
install_npm() {
  if command -v npm >/dev/null && command -v node >/dev/null; then return; fi
  install_packages nodejs npm ca-certificates
}

# -- building -----------------------------------------------------------------------

# configure PRESET [cmake arguments]: quick when nothing has changed.
configure() (
  cd "$root" || die "no directory $root"
  cmake --preset "$@" --log-level=WARNING >/dev/null || die "cannot configure the preset $1"
)

# build PRESET TARGET: brings the target up to date, and tells how far it is.
build() (
  export NINJA_STATUS='[%p after %e s] '
  cd "$root" || die "no directory $root"
  cmake --build --preset "$1" --target "$2"
)
