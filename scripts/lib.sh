# Shared by the scripts beside it: looks for what a build needs, and gets it where that is possible.
#
# Nothing global is changed. Packages are installed only when they are missing and after saying which and why; a Rust
# toolchain is added to rustup beside those that are there, and used for this run alone.

set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say() {
    printf '%s\n' "$*" >&2
}

fail() {
    say "error: $*"
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# Runs a command with the rights to install packages; fails where there is no way to get them.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif has sudo && [ -t 0 ]; then
        sudo "$@"
    elif has sudo; then
        sudo -n "$@"
    else
        return 1
    fi
}

missing=''

# need COMMAND PACKAGES REASON: remembers the Debian packages of a command that is not there.
need() {
    if has "$1"; then
        return
    fi
    say "missing: $1, $3"
    missing="$missing $2"
}

# Installs what `need` remembered.
install_missing() {
    if [ -z "$missing" ]; then
        return
    fi
    if ! has apt-get; then
        say "This script installs packages on Debian and Ubuntu only. Install these with your own package manager"
        say "(they are named as Debian names them), then run this again:"
        fail "missing:$missing"
    fi
    say "installing with apt-get:$missing"
    # shellcheck disable=SC2086 # a list of names
    if ! apt_install $missing; then
        fail "could not install them; as root, run: apt-get update && apt-get install$missing"
    fi
    missing=''
}

apt_install() {
    # What apt prints goes to the error stream with the rest of the preparations.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2 && return
    # A fresh machine has no lists of packages yet, or old ones.
    as_root apt-get update >&2 || return 1
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2
}

# A linker, and on Debian the certificates that downloading crates needs.
need_to_build() {
    if [ "$(uname -s)" = Darwin ]; then
        has cc || fail "no C linker: run \`xcode-select --install\`, then run this again"
        return
    fi
    need cc 'gcc libc6-dev' 'which Rust links programs with'
    if has apt-get && [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then
        say 'missing: certificates, without which no crate can be downloaded'
        missing="$missing ca-certificates"
    fi
}

# What the clients in tests/ are installed with. The Node that runs them comes with them, so any npm will do.
need_for_clients() {
    need npm 'nodejs npm' 'which installs the test clients written in JavaScript'
    need python3 'python3 python3-venv' 'which runs the tests of clients'
    if has python3 && has apt-get && ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        say 'missing: virtual environments for Python, into which the test clients are installed'
        missing="$missing python3-venv"
    fi
}

# The oldest Rust the workspace builds with, as its manifest says.
needed_rust() {
    sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$root/Cargo.toml"
}

# Whether `cargo` runs and is new enough.
cargo_is_new_enough() {
    found=$(cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
    [ -n "$found" ] || return 1
    wanted=$(needed_rust)
    wanted_rest=${wanted#*.}
    [ "${found%%.*}" -gt "${wanted%%.*}" ] && return
    [ "${found%%.*}" -eq "${wanted%%.*}" ] && [ "${found#*.}" -ge "${wanted_rest%%.*}" ]
}

# Finds cargo, or gets it by way of rustup. Arguments are components that are needed too, such as `clippy`.
need_cargo() {
    # Where rustup puts it; a shell that was open before does not know yet.
    if ! has cargo && [ -x "${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo" ]; then
        PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
        export PATH
    fi
    if ! cargo_is_new_enough; then
        get_cargo
    fi
    for component in "$@"; do
        if cargo "${component#rust}" --version >/dev/null 2>&1; then
            continue
        fi
        has rustup || fail "no \`cargo ${component#rust}\`: install $component for your Rust, then run this again"
        say "adding $component to the Rust toolchain, for the checks"
        rustup component add "$component" >&2 || fail "could not add it: run \`rustup component add $component\`"
    done
}

# Debian has rustup from version 13 on.
rustup_is_packaged() {
    has apt-get || return 1
    apt-cache policy rustup 2>/dev/null | grep -q 'Candidate: [0-9]' && return
    # On a fresh machine apt does not know yet what there is.
    set -- /var/lib/apt/lists/*Packages*
    [ ! -e "$1" ] || return 1
    as_root apt-get update >&2 || return 1
    apt-cache policy rustup 2>/dev/null | grep -q 'Candidate: [0-9]'
}

get_cargo() {
    wanted=$(needed_rust)
    if has cargo; then
        say "cargo ${found:-of an unknown version} is here, but Rust $wanted or newer is needed"
    else
        say "missing: cargo (Rust $wanted or newer), which builds everything"
    fi
    if ! has rustup && rustup_is_packaged; then
        say 'installing with apt-get: rustup'
        apt_install rustup || say 'that did not work'
    fi
    if ! has rustup; then
        say 'Get it as https://rustup.rs says, open a new shell and run this again:'
        say "  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
        has curl || say '(without curl: `apt-get install curl ca-certificates` first, as root)'
        fail "no Rust $wanted or newer"
    fi
    # Named by version and chosen for this run only: the default toolchain stays what it is.
    say "getting Rust $wanted with rustup; your default toolchain stays as it is"
    rustup toolchain install "$wanted" --profile minimal --component rustfmt --component clippy >&2 ||
        fail "could not get it: run \`rustup toolchain install $wanted\`"
    RUSTUP_TOOLCHAIN=$wanted
    export RUSTUP_TOOLCHAIN
    cargo_is_new_enough || fail "cargo is older than $wanted even so; does another one come first in PATH?"
}
