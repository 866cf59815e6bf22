#!/bin/sh
# Installs the clients and agents that the tests run: install.sh DIRECTORY
#
# Versions are those of the lock files beside this script and in tests/agents. A part is installed anew only when its
# lock file changed since. This is the only step that needs a network.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
target=${1:?usage: install.sh DIRECTORY}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# fresh NAME FILES…: whether the part NAME was installed from files with this content.
fresh() {
    part=$1
    shift
    cat "$@" | cksum >"$target/$part.wanted"
    cmp -s "$target/$part.wanted" "$target/$part.installed"
}

# done_with NAME: what is there now is what was wanted. Written last, so that a broken install is done again.
done_with() {
    mv "$target/$1.wanted" "$target/$1.installed"
}

python_part() {
    fresh "$1" "$here/$1.txt" && return
    printf 'installing %s\n' "$1" >&2
    rm -rf "${target:?}/$1" "$target/$1.installed"
    python3 -m venv "$target/$1" || fail 'no virtual environment for Python: install python3-venv'
    "$target/$1/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$here/$1.txt" >&2 ||
        fail "could not install $1 with pip; the test clients come from the network once, is there one?"
    done_with "$1"
}

node_part() {
    fresh "$1" "$2/package.json" "$2/package-lock.json" && return
    printf 'installing %s\n' "$1" >&2
    rm -rf "${target:?}/$1" "$target/$1.installed"
    mkdir -p "$target/$1"
    cp "$2/package.json" "$2/package-lock.json" "$2/.npmrc" "$target/$1/"
    # Engines are those of the Node that is installed with them, not of the one that runs npm.
    (cd "$target/$1" && npm ci --loglevel=error >&2) ||
        fail "could not install $1 with npm; the test clients come from the network once, is there one?"
    done_with "$1"
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || fail 'no python3 of version 3.11 or newer'
command -v npm >/dev/null || fail 'no npm, with which the test clients are installed'
mkdir -p "$target"
for part in python-1 python-2 fastmcp fuzzer; do
    python_part "$part"
done
node_part node "$here"
# A module finds its libraries from where it lies, so what uses them lies beside them.
cp "$here"/speakers/*.mjs "$target/node/"
node_part agents "$here/../agents"
# OpenCode fetches this before it loads a plugin, and waits for it.
node_part opencode-plugin "$here/../agents/opencode-plugin"
