# shellcheck shell=sh
# The source of a release, and the list of the crates in it. Part of ./dev, through
# packages/dist.sh.

# dist_source: a .tar.gz of the checkout, a .crate of each published crate, and the list.
dist_source() {
    log "packing source"
    facts='{"git": {"sha1": "'$(git rev-parse HEAD)'"}}'
    git archive --prefix="nearfar-$version/crates/cli/" \
        --add-virtual-file="nearfar-$version/crates/cli/.cargo_vcs_info.json:$facts" \
        --prefix="nearfar-$version/" HEAD | gzip -n9 >"$folder/nearfar-$version.tar.gz"
    dist_crates "$folder/crates"
    git worktree remove --force "$tree"
    dist_sbom
}

# published_tree: a checkout of the commit, whose pages have the addresses that registries need.
# Crates name the commit, and mark it as changed ("dirty"). Sets $tree.
published_tree() {
    tree=$(target_dir)/packages/tree
    rm -rf "$tree"
    git worktree prune
    git worktree add --quiet --detach "$tree" HEAD
    python3 packages/python/readme.py "$tree"
}

# dist_crates FOLDER: what 'cargo publish' uploads, packed at once; test_crates compiles it.
dist_crates() {
    packed=$(target_dir)/packages/crates
    rm -rf "$packed" "$1"
    mkdir -p "$packed" "$1"
    published_tree
    # shellcheck disable=SC2046 # words
    cargo package --quiet --locked --workspace --no-verify --allow-dirty \
        --manifest-path "$tree/Cargo.toml" $(unpublished) --target-dir "$packed" \
        2>"$packed/log" || {
        cat "$packed/log" >&2
        exit 1
    }
    cp "$packed"/package/*.crate "$1"
}

# unpublished: --exclude of each crate with 'publish = false'.
unpublished() {
    grep -l '^publish = false' */Cargo.toml */*/Cargo.toml |
        xargs sed -n '/^\[package\]/,/^\[/s/^name = "\(.*\)"/--exclude \1/p'
}

# dist_sbom: the crates that the command is made of, with their licences.
dist_sbom() {
    crates_of_command | python3 packages/sbom.py Cargo.lock "$commit" \
        >"$folder/nearfar-$version.cdx.json"
}

# crates_of_command: what cargo resolves for a released program.
crates_of_command() {
    cargo metadata --locked --format-version 1 --filter-platform x86_64-unknown-linux-musl
}
