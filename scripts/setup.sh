#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages that building and testing need, from Debian 12's or Ubuntu 24.04's archive. Does nothing, and
# needs no root, where all of them are there. The CUDA 13 toolkit, which only measuring needs, is not in those archives.
set -euo pipefail

packages=(
  build-essential cmake ninja-build git pkg-config
  libyaml-cpp-dev nlohmann-json3-dev libcli11-dev libfmt-dev libcairo2-dev libfreetype-dev
  libgtest-dev libgmock-dev python3 python3-jsonschema
  clang-format clang-tidy
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing packages: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "These packages are missing and only root can install them: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
