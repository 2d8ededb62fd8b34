#!/usr/bin/env bash
# Gradescope runs this once, as root, when the archive is uploaded; what it leaves is there for every submission.
#
#   AUTOGRADER     where the autograder lies; /autograder by default
#   GRADER_HOME    where Python's packages are put; /opt/tensor-grader by default
#   GRADER_PYTHON  an interpreter that has all packages already, as an image of your own may: nothing is installed

set -u
umask 022  # what is installed is read by a user that owns nothing
root="${AUTOGRADER:-/autograder}"
source="$root/source"
home="${GRADER_HOME:-/opt/tensor-grader}"

fail() {
  echo "Set-up failed: $1" >&2
  exit 1
}

fits() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

makes_environments() {
  command -v "$1" >/dev/null && fits "$1" && "$1" -c 'import ensurepip, venv' 2>/dev/null
}

find_python() {
  for python in python3.14 python3.13 python3.12 python3.11 python3; do
    if makes_environments "$python"; then return 0; fi
  done
  return 1
}

install_python() {
  if command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update || return 1
    for version in 3.14 3.13 3.12 3.11; do
      apt-get install -y --no-install-recommends "python$version" "python$version-venv" && return 0
    done
  elif command -v dnf >/dev/null; then
    for version in 3.14 3.13 3.12 3.11; do
      dnf install -y "python$version" && return 0
    done
  fi
  return 1
}

get() {
  "$home/venv/bin/python" -m pip install --no-cache-dir --disable-pip-version-check "$@"
}

install_packages() {
  find_python || { install_python && find_python; } ||
    fail "Python 3.11 or newer, with its venv module, is not here and cannot be installed; choose a newer base image"
  "$python" -m venv --clear "$home/venv" || fail "$python cannot make an environment in $home/venv"
  if ! get -r "$source/requirements.txt"; then
    echo "These versions are not to be had for $("$python" --version); taking the newest instead."
    # shellcheck disable=SC2046  # one name a word
    get $(sed 's/==.*//' "$source/requirements.txt") || fail "the packages in requirements.txt cannot be installed"
  fi
  if [ -f "$source/torch.txt" ]; then
    mapfile -t wanted < "$source/torch.txt"
    get "${wanted[@]}" || fail "PyTorch cannot be installed as torch.txt says; see docs/gradescope.md"
  fi
  chmod -R go+rX "$home"
  python="$home/venv/bin/python"
}

if [ -n "${GRADER_PYTHON:-}" ]; then
  python="$GRADER_PYTHON"
  fits "$python" || fail "$python, which GRADER_PYTHON names, is no Python 3.11 or newer"
else
  install_packages
fi
"$python" -P "$source/judge" "$root" check || fail "what was installed does not work together"
chmod -R go= "$source"  # tests and references: root's alone
printf '%s' "$python" > "$source/python.txt"
echo "Set up with $("$python" --version)."
