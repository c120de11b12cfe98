# shellcheck shell=sh
# What a release needs beside its packages, and what .github/workflows/release.yml calls. Part of
# ./dev, which sources this.

# Debian's own package: release_debian.
. packages/debian.sh

# release WHAT [...]: check TAG, addresses, subjects, notes, recipes, debian, crates, image;
# rehearse for all of them that publish nothing, dry-run for that with the check.
release() {
    what=${1:-}
    [ $# = 0 ] || shift
    case $what,$# in
        check,1) release_check "$1" ;;
        addresses,0) release_addresses ;;
        subjects,0) release_subjects ;;
        notes,0) release_notes "$(metadata version)" ;;
        recipes,0) release_recipes ;;
        debian,0 | debian,1) release_debian "${1:-}" ;;
        crates,0) release_crates ;;
        image,[1-9]) release_image "$@" ;;
        rehearse,*) release_rehearse "$@" ;;
        dry-run,*) release_dry_run "$@" ;;
        *) wrong_usage "release takes 'check TAG', 'addresses', 'subjects', 'notes'," \
            "'recipes', 'debian [--build]', 'crates', 'image DESTINATION...', 'rehearse' or" \
            "'dry-run'" ;;
    esac
}

# What becomes untrue with a release stands below this line, in pages.
unreleased='^<!-- before the first release -->$'

# release_check TAG: names everything that a release of this tag lacks.
release_check() {
    lacks=
    release_versions || lacks=yes
    [ "$1" = "v$version" ] || lacking "the tag is $1, and Cargo.toml has version $version"
    release_addresses || lacks=yes
    ! git grep -n "$unreleased" -- '*.md' >&2 ||
        lacking "what stands below these lines is untrue after a release"
    [ -z "$(git status --porcelain)" ] || lacking "files differ from the commit"
    [ -z "$lacks" ] || return 1
    log "a release of $1 lacks nothing that can be checked here"
}

lacking() { log "$*" && lacks=yes; }

# release_versions: whether all name the version of Cargo.toml, and its day. Sets $version.
release_versions() {
    version=$(metadata version)
    lacks=
    ! grep -n 'path = "crates/' Cargo.toml | grep -v "version = \"$version\"" >&2 ||
        lacking "Cargo.toml: crates are named in another version than $version"
    day=$(sed -n "s/^## $version - \([0-9]\{4\}-[0-9][0-9]-[0-9][0-9]\)\$/\1/p" CHANGELOG.md)
    [ -n "$day" ] || lacking "CHANGELOG.md has no line '## $version - YEAR-MONTH-DAY'"
    grep -q "RELEASED: &str = \"$day\"" crates/cli/src/commands/man.rs ||
        lacking "crates/cli/src/commands/man.rs: RELEASED is not $day"
    ! git grep -nEo 'nearfar[-_:][0-9]+\.[0-9]+\.[0-9]+' -- README.md docs ':!docs/evidence' |
        grep -v "[-_:]$version\$" >&2 || lacking "pages name another version than $version"
    [ -z "$lacks" ]
}

# release_addresses: whether the owner of the project filled them in, in one line; 3 where not.
release_addresses() {
    unfilled=
    for field in repository homepage documentation maintainer; do
        case $(metadata $field) in
            *OWNER* | "") unfilled="$unfilled $field" ;;
            https://* | *"<"*@*.*[!.]">") ;;
            *) unfilled="$unfilled $field" ;;
        esac
    done
    [ -z "$unfilled" ] || {
        log "Cargo.toml names no address yet as$unfilled: put a name for OWNER there"
        return 3
    }
}

# release_notes VERSION: its part of CHANGELOG.md; of a part that begins with "In short", only that.
# Items are one line each: the host of a release breaks lines where they end.
release_notes() {
    notes=$(awk -v start="## $1 " '
        /^## / { inside = index($0 " ", start) == 1; next }
        inside && /^### / && short { exit }
        inside && /^### In short/ { short = 1; next }
        inside' CHANGELOG.md | sed -e ':more' -e 'N; s/\n  */ /; t more' -e 'P; D' | sed '/./,$!d')
    [ -n "$notes" ] || { log "CHANGELOG.md has no part '## $1'" && return 1; }
    address=$(metadata repository)
    cat <<NOTES
nearfar measures what memory really costs on a Linux machine, decides whether it is NUMA, and puts \
programs near their memory.

$notes

[Install]($address/blob/v$1/docs/start/install.md): a static file for any Linux, or a package. \
[Verify]($address/blob/v$1/docs/start/install.md#check) what you downloaded: \
\`sha256sum --check --ignore-missing SHA256SUMS\`, \
\`gh attestation verify FILE --repo ${address#https://*/}\`. \
[All changes]($address/blob/v$1/CHANGELOG.md).
NOTES
}

# release_subjects: checksum and name of each file that is attested and published: all but share/,
# which packages contain.
release_subjects() {
    sums=$(target_dir)/dist/SHA256SUMS
    [ -e "$sums" ] || { log "there is no $sums: ./dev dist makes it" && return 1; }
    (cd "$(dirname "$sums")" && sha256sum --check --strict --quiet SHA256SUMS >&2) || {
        log "files in $(dirname "$sums") differ from SHA256SUMS"
        return 1
    }
    grep -v '  share/' "$sums"
}

# release_recipes: packages/recipes with this release's figures, in target/dist/recipes.
release_recipes() {
    version=$(metadata version)
    recipes=$(target_dir)/dist/recipes
    source=$(target_dir)/dist/nearfar-$version.tar.gz
    [ -e "$source" ] || { log "there is no $source: ./dev dist makes it" && return 1; }
    sum=$(sha256sum "$source" | cut -d' ' -f1)
    day=$(LC_ALL=C date -ud "@$(git log -1 --format=%ct)" '+%a %b %d %Y')
    account=$(metadata repository) maintainer=$(metadata maintainer)
    account=${account#https://*/}
    mail=${maintainer#*<}
    mkdir -p "$recipes"
    for recipe in packages/recipes/*; do
        sed -e "s|@VERSION@|$version|g" -e "s|@SHA256@|$sum|g" \
            -e "s|@SOURCE@|$(metadata repository)/releases/download/v$version/${source##*/}|g" \
            -e "s|@REPOSITORY@|$(metadata repository)|g" -e "s|@HOMEPAGE@|$(metadata homepage)|g" \
            -e "s|@RUST@|$(metadata rust-version)|g" -e "s|@DAY@|$day|g" \
            -e "s|@MAINTAINER@|$maintainer|g" -e "s|@NAME@|${maintainer%% <*}|g" \
            -e "s|@EMAIL@|${mail%>}|g" -e "s|@ACCOUNT@|${account%%/*}|g" \
            -e "s|@LICENCE@|$(licence_of_command)|g" "$recipe" >"$recipes/${recipe##*/}"
    done
    rm "$recipes/README.md"
    cp Cargo.lock "$recipes" # nearfar.nix names it
    log "recipes: $recipes"
}

# release_crates: publishes each crate that Rust's registry has not got in this version, those first
# that others need. Nothing is published unless all are what was attested. A registry limits new
# names: run it again then, it goes on.
release_crates() {
    version=$(metadata version)
    release_check "v$version" || return 1
    ensure curl curl
    crates_as_attested
    for crate in $(release_order); do
        near=$(printf %s "$crate" | cut -c1-2)/$(printf %s "$crate" | cut -c3-4)
        if curl -fsS "https://index.crates.io/$near/$crate" 2>/dev/null |
            grep -q "\"vers\":\"$version\""; then
            log "$crate $version is published"
        else
            cargo publish --locked --no-verify --allow-dirty --manifest-path "$tree/Cargo.toml" \
                -p "$crate" || return 1
        fi
    done
    git worktree remove --force "$tree"
}

# crates_as_attested: whether crates of this commit are those of the release. Sets $tree.
crates_as_attested() {
    ensure python3 python3
    release_facts
    dist_crates "$(target_dir)/packages/published"
    for crate in "$folder"/crates/*.crate; do
        cmp "$crate" "$(target_dir)/packages/published/${crate##*/}" ||
            { log "${crate##*/} is not what was attested" && exit 1; }
    done
}

# release_image DESTINATION...: pushes both images as one; target/index.digest names it.
release_image() {
    release_facts
    image_index "$*" podman
}

# release_order: crates that are published, each after those that it needs.
release_order() {
    cargo metadata --locked --no-deps --format-version 1 | python3 -c '
import json, sys
packages = {p["name"]: p for p in json.load(sys.stdin)["packages"] if p["publish"] != []}
order = []
def add(name):
    for needed in packages[name]["dependencies"]:
        if needed["name"] in packages and needed["kind"] != "dev":
            add(needed["name"])
    if name not in order:
        order.append(name)
for name in sorted(packages):
    add(name)
print("\n".join(order))'
}

# Everything up to publishing; it goes on after a failed check, and ends with status 1 then.
release_dry_run() {
    ready=0
    release_check "v$(metadata version)" || ready=1
    release_rehearse "$@" || ready=1
    return $ready
}

# release_rehearse [as dist]: all steps of a release that need neither its owner nor a network of
# registries.
release_rehearse() {
    faults=0
    release_versions || faults=1
    dist "$@"
    ensure lintian lintian
    lints "$folder"/*.deb || faults=1
    log "subjects of the attestation:"
    release_subjects || faults=1
    release_recipes
    crates_as_attested
    git worktree remove --force "$tree"
    log "order of crates:" && release_order >&2
    log "notes:" && release_notes "$version" >&2
    return $faults
}
