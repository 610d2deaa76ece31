#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that building (`setup.sh build`) or also testing (`setup.sh`) needs, from the archive of Debian 12
# or Ubuntu 24.04. Does nothing, and needs no root, where all of them are there. The CUDA 13 toolkit, which only measuring
# needs, is not in those archives.
set -euo pipefail

packages=(
  build-essential cmake ninja-build git
  libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev libcairo2-dev libpixman-1-dev libfontconfig-dev libexpat1-dev libfreetype-dev libbrotli-dev libiberty-dev libmd-dev libpng-dev libprotozero-dev libsqlite3-dev libutfcpp-dev libzstd-dev zlib1g-dev
)
if [ "${1:-}" != build ]; then
  packages+=(libgtest-dev libgmock-dev python3 python3-venv python3-setuptools python3-wheel python3-jinja2 python3-jsonschema python3-numpy python3-yaml python3-protobuf protobuf-compiler libxml2-utils poppler-utils groff-base zsh fish mypy mmdebstrap clang clang-format clang-tidy libclang-rt-dev lld)
  # For the tests of the page, unless they are there from another source. Ubuntu has Chromium as a snap alone; without
  # one they are skipped.
  command -v npm >/dev/null || packages+=(nodejs npm)
  command -v chromium-headless-shell >/dev/null || ! grep -q '^ID=debian' /etc/os-release || packages+=(chromium-headless-shell)
fi

if ! command -v dpkg-query >/dev/null; then
  echo "This script knows Debian and Ubuntu only. Install their equivalents, then build with cmake: ${packages[*]}" >&2
  exit 1
fi
missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "== installing packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing, and without sudo only root can install them: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
