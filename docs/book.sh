# The docs site, sourced by ./dev: book.

mdbook_version=0.5.4

# ensure_mdbook: sets $mdbook. One that is installed already is taken, whatever its version.
ensure_mdbook() {
    mdbook=$(command -v mdbook) && return
    mdbook=$(target_dir)/tools/bin/mdbook
    [ "$("$mdbook" --version 2>/dev/null)" != "mdbook v$mdbook_version" ] || return 0
    log "installing mdbook $mdbook_version in $(target_dir)/tools (minutes)"
    cargo install --locked --quiet --root "$(target_dir)/tools" --no-default-features \
        --features search "mdbook@$mdbook_version"
}

# book: the site in target/book/site, which a browser opens from that folder, too.
book() {
    [ $# = 0 ] || wrong_usage "book takes no options"
    ensure_rust
    ensure_mdbook
    made=$(target_dir)/book
    rm -rf "$made"
    mkdir -p "$made/src/json"
    cargo build --locked --quiet -p nearfar -p xtask
    programs=$(target_dir)/debug
    "$programs/nearfar" schema | while read -r kind _; do
        "$programs/nearfar" schema "$kind" >"$made/src/json/$kind.md"
    done
    "$programs/xtask" book "$made"
    # Where the site is on its server, for the page that stands for missing ones.
    homepage=$(metadata homepage)
    homepage=${homepage%/}
    case $homepage in
        *OWNER*) ;;
        https://*/*) export MDBOOK_OUTPUT__HTML__SITE_URL="/${homepage#https://*/}/" ;;
    esac
    MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL=$(metadata repository) "$mdbook" build "$made"
    "$programs/xtask" book check "$made/site"
    log "the site: $made/site/index.html"
}

# metadata FIELD: what Cargo.toml has of all crates.
metadata() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml | head -n 1; }
