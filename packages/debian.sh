# shellcheck shell=sh
# Debian's own package of nearfar (packages/debian): its source, its check, and a build in a bare
# sid. Part of ./dev, through packages/release.sh.

# release_debian [--build]: the source package in target/debian, checked by lintian.
release_debian() {
    ensure_rust
    ensure python3 python3
    ensure lintian lintian
    ensure dpkg-source dpkg-dev
    debian_crates
    debian_committed
    debian_source
    if [ "$1" = --build ]; then
        debian_build
    else
        lints "$made"/*.dsc
    fi
}

# debian_crates: writes which crates Debian lacks to packages/debian/README.md, and what the package
# is built from to its control file. Sets $lists, the folder of apt's lists; its folder lacking has
# the crates that sid lacks.
debian_crates() {
    mkdir -p "$(target_dir)/packages/debian/lists/partial"
    lists=$(cd "$(target_dir)/packages/debian" && pwd)
    for suite in trixie sid; do
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
            "http://deb.debian.org/debian $suite main"
    done >"$lists/sources"
    : >"$lists/status"
    log "fetching Debian's lists of packages"
    apt-get update -qq -o Dir::State="$lists" -o Dir::State::Lists="$lists/lists" \
        -o Dir::State::status="$lists/status" -o Dir::Cache="$lists" \
        -o Dir::Etc::SourceList="$lists/sources" -o Dir::Etc::SourceParts=- \
        -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    for suite in trixie sid; do
        /usr/lib/apt/apt-helper cat-file "$lists/lists"/*_"${suite}"_*_Packages* >"$lists/$suite"
    done
    cargo metadata --locked --format-version 1 --filter-platform x86_64-unknown-linux-gnu \
        >"$lists/metadata.json"
    rm -rf "$lists/lacking" && mkdir "$lists/lacking"
    python3 packages/debian/crates.py "$lists/metadata.json" "trixie=$lists/trixie" \
        "sid=$lists/sid" --write packages/debian/README.md packages/debian/control "$lists/lacking"
}

# debian_committed: the package is made of the commit alone, so nothing of it may be uncommitted.
# The page of missing crates is no part of it.
debian_committed() {
    changed=$(git status --porcelain -- . ':!packages/debian/README.md')
    [ -z "$changed" ] || {
        log "the package is made of the commit, and files differ from it: commit them first"
        printf '%s\n' "$changed" >&2
        exit 1
    }
}

# debian_source: of the commit, with its packages/debian as debian/. Sets $made, its folder.
debian_source() {
    version=$(metadata version)
    made=$(target_dir)/debian
    rm -rf "$made" && mkdir -p "$made"
    made=$(cd "$made" && pwd)
    git archive --prefix="nearfar-$version/" HEAD | gzip -n9 >"$made/nearfar_$version.orig.tar.gz"
    tar -xzf "$made/nearfar_$version.orig.tar.gz" -C "$made"
    tree=$made/nearfar-$version
    cp -r "$tree/packages/debian" "$tree/debian"
    rm "$tree/debian/README.md" "$tree/debian/crates.py"
    day=$(LC_ALL=C date -ud "@$(git log -1 --format=%ct)" '+%a, %d %b %Y %H:%M:%S +0000')
    for file in "$tree"/debian/*; do
        [ ! -f "$file" ] || sed -i -e "s|@VERSION@|$version|g" -e "s|@DATE@|$day|g" \
            -e "s|@RUST@|$(metadata rust-version)|g" -e "s|@HOMEPAGE@|$(metadata homepage)|g" \
            -e "s|@REPOSITORY@|$(metadata repository)|g" \
            -e "s|@MAINTAINER@|$(metadata maintainer)|g" -e '/^# crates: /d' "$file"
    done
    (cd "$made" && dpkg-source --build "${tree##*/}" >&2)
}

# lints FILE...: by lintian, where any tag but an overridden one is a failure. As long as no one
# has put an address for OWNER, tags about it are left out.
lints() {
    unnamed=
    case $(metadata maintainer) in
        *OWNER*)
            log "without tags about the maintainer's address, which still has OWNER in it"
            unnamed=bogus-mail-host,bogus-mail-host-in-debian-changelog,
            ;;
    esac
    # An older lintian does not know the newest standards.
    lintian --allow-root --fail-on error,warning,info --display-info \
        --suppress-tags "${unnamed}newer-standards-version" "$@"
}

# debian_build: in a bare sid, from its own crates and those of Rust's registry that it lacks,
# without the network once these are there. Then lintian and the tests of packages/debian/tests,
# there.
debian_build() {
    [ "$(id -u)" = 0 ] || { log "packages are built in a bare system, which needs root"; exit 1; }
    mkdir -p "$(target_dir)/packages/work"
    work=$(cd "$(target_dir)/packages/work" && pwd)
    # What in_root shows as /dist.
    folder=$made
    bare_root sid || { log "there is no bare sid"; exit 1; }
    mkdir -p "$root/lacking"
    for crate in "$lists"/lacking/*; do
        [ ! -d "$crate" ] || {
            log "sid lacks ${crate##*/}: Rust's registry has it"
            dpkg-deb --root-owner-group --build "$crate" "$root/lacking" >&2
        }
    done
    log "installing what the package is built from"
    # A mirror may be a copy of some weeks ago; its signature is checked all the same.
    in_sid install "echo 'Acquire::Check-Valid-Until \"false\";' >/etc/apt/apt.conf.d/99old
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends dpkg-dev fakeroot lintian man-db
        [ -z \"\$(ls /lacking)\" ] ||
            apt-get install -y -qq --no-install-recommends /lacking/*.deb
        apt-get build-dep -y -qq --no-install-recommends /dist/*.dsc"
    log "building"
    in_sid build "cd /root && dpkg-source --extract /dist/*.dsc source && cd source
        unshare --net env DEB_BUILD_OPTIONS='${DEB_BUILD_OPTIONS:-}' dpkg-buildpackage -b -uc
        mv ../nearfar*_$version-1_* /dist"
    log "checking"
    # The maintainer has no address yet, and no bug of Debian's asks for the package.
    tags=bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs
    in_sid check "lintian --allow-root --fail-on error,warning \
            --suppress-tags $tags /dist/*.changes
        apt-get install -y -qq --no-install-recommends /dist/*.deb
        cd /root/source && mkdir /tmp/tests
        for test in debian/tests/[a-z]*[a-z]; do
            [ \$test = debian/tests/control ] || AUTOPKGTEST_TMP=/tmp/tests \$test
        done"
    ls -l "$made" >&2
}

# in_sid STEP SCRIPT: its output is shown only if it fails.
in_sid() {
    in_root sh -euc "$2" >"$lists/$1.log" 2>&1 || {
        tail -n 40 "$lists/$1.log" >&2
        log "failed: $lists/$1.log"
        exit 1
    }
}
