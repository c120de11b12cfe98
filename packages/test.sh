# shellcheck shell=sh
# Installs each package on a bare system, follows the README's Quick start, removes and upgrades it.
# Part of ./dev, which sources this.

. packages/roots.sh

# test_packages [KIND...]: prints a table of what was installed, by what, and how long that took.
test_packages() {
    [ "$(id -u)" = 0 ] || { log "packages are tested in bare systems, which needs root"; exit 1; }
    kinds=${*:-static bookworm trixie jammy rpm dnf wheel uvx image crates source}
    packs_the_same
    arch=$(uname -m)
    work=$(target_dir)/packages/work
    rm -rf "$work" && mkdir -p "$work/older"
    work=$(cd "$work" && pwd)
    older_packages
    for kind in $kinds; do
        log "testing $kind"
        case $kind in
            bookworm | trixie | jammy | noble) test_deb "$kind" ;;
            static | rpm | dnf | wheel | uvx | image | crates | source) "test_$kind" ;;
            *) wrong_usage "there is no kind of package '$kind'" ;;
        esac
    done
    echo 'package | MB | installed by | seconds to the first survey'
    cat "$work/rows"
}

# packs_the_same: makes this system's release twice, of the same bytes.
packs_the_same() {
    dist "$(dist_target "$(uname -m)")"
    sums=$(cat "$folder/SHA256SUMS")
    dist "$(dist_target "$(uname -m)")"
    [ "$sums" = "$(cat "$folder/SHA256SUMS")" ] || fail "the second release has other bytes"
}

fail() {
    log "packages: $*"
    exit 1
}

# The same program in packages of a lower version.
older_packages() {
    (
        NEARFAR_VERSION=0.1.9 folder=$work/older
        export NEARFAR_VERSION
        dist_stage_again
        pack_both nearfar
        pack_both numactl
    )
}

# The staging folder of the last ./dev dist.
dist_stage_again() { stage=$(cd "$(target_dir)/packages/stage-$arch" && pwd); }

# first_survey FILE INSTALLER COMMAND...: the time since $began, until the README's first command
# has its answer.
first_survey() {
    file=$1 installer=$2
    shift 2
    "$@" nearfar survey --quick >"$work/out" 2>&1 || fail "no survey: $(cat "$work/out")"
    grep -q '^NUMA: ' "$work/out" || fail "no verdict: $(cat "$work/out")"
    took=$(($(date +%s%N) - began))
    printf '%s | %d.%d | %s | %d.%d\n' "${file##*/}" $(($(stat -c %s "$file") / 1000000)) \
        $(($(stat -c %s "$file") / 100000 % 10)) "$installer" $((took / 1000000000)) \
        $((took / 100000000 % 10)) | tee -a "$work/rows" >&2
}

begin() { began=$(date +%s%N); }

# quick_start FOLDER COMMAND...: each line of the README's Quick start by COMMAND, which works in
# FOLDER.
quick_start() {
    place=$1
    shift
    quick_start_lines | while read -r line; do
        # shellcheck disable=SC2086 # words
        "$@" $line </dev/null >"$work/out" 2>&1 || fail "'$line': $(cat "$work/out")"
    done
    [ -s "$place/before.html" ] || fail "the Quick start made no before.html in $place"
    rm "$place/before.json" "$place/after.json" "$place/before.html"
    has_version "$@"
}

# The commands, with a program.
quick_start_lines() {
    sed -n '/^## Quick start/,/^## [^Q]/s/^    nearfar/nearfar/p' README.md |
        sed 's/ *#.*//; s/PROGRAM/nearfar topology/'
}

has_version() {
    is=$("$@" nearfar --version)
    [ "$is" = "nearfar $version ($commit)" ] || fail "the version is '$is'"
}

# is_gone COMMAND...: after a removal no file of the package remains, and surveys do.
is_gone() {
    for file in bin/nearfar bin/numactl bin/memhog lib/nearfar share/man/man1/nearfar.1.gz \
        share/doc/nearfar/README.md; do
        [ ! -e "$root/usr/$file" ] && [ ! -L "$root/usr/$file" ] || fail "/usr/$file remains"
    done
    ls "$root"/root/.local/share/nearfar/*.json >/dev/null || fail "kept surveys are gone"
}

# surveys_are_readable: after an upgrade.
surveys_are_readable() {
    quietly in_root nearfar show
    for file in $(cd "$root/root" && ls .local/share/nearfar/*.json); do
        quietly in_root nearfar show "/root/$file"
    done
}

# finds_helper: where programs in memory are forbidden, nearfar starts the file nearfar-gpu, which
# looks for a driver.
finds_helper() {
    [ -e /proc/sys/vm/memfd_noexec ] || {
        log "SKIPPED the file nearfar-gpu: Linux before 6.3 cannot forbid programs in memory"
        return 0
    }
    gpu_without_memory | grep -q 'no GPU driver' || fail "/usr/lib/nearfar/nearfar-gpu is not found"
    mv "$root/usr/lib/nearfar" "$root/usr/lib/elsewhere"
    gpu_without_memory | grep -q 'put the file nearfar-gpu' ||
        fail "a missing nearfar-gpu is not reported: $(gpu_without_memory)"
    mv "$root/usr/lib/elsewhere" "$root/usr/lib/nearfar"
}

# The setting ends with the process namespace.
gpu_without_memory() {
    in_root sh -c 'echo 2 >/proc/sys/vm/memfd_noexec && nearfar gpu' 2>&1 || true
}

# quietly COMMAND...: shows what it prints only if it fails.
quietly() { "$@" >"$work/out" 2>&1 || fail "'$*': $(cat "$work/out")"; }

test_static() {
    empty_root
    begin
    install -D "$folder/nearfar-$arch" "$root/bin/nearfar"
    first_survey "$folder/nearfar-$arch" 'cp, into an empty root' in_root
    quick_start "$root" in_root
}

test_deb() {
    bare_root "$1" || fail "there is no bare $1: $(tail -n 3 "$(target_dir)/packages/roots/$1.log")"
    deb=$(ls "$folder"/nearfar_*.deb)
    begin
    quietly in_root apt-get install -y "/dist/${deb##*/}"
    first_survey "$deb" "apt, bare $1" in_root
    quick_start "$root" in_root
    finds_helper
    deb_names
    quietly in_root apt-get purge -y nearfar nearfar-numactl
    is_gone
    mkdir "$root/older" && cp "$work"/older/*.deb "$root/older"
    quietly in_root sh -c 'apt-get install -y /older/*.deb'
    quietly in_root sh -c 'apt-get install -y /dist/*.deb'
    quietly in_root dpkg --verify nearfar nearfar-numactl
    surveys_are_readable
    quietly in_root apt-get remove -y nearfar
    is_gone
}

# deb_names: the names replace Debian's numactl, lead to nearfar, and Debian's can be back.
deb_names() {
    quietly in_root apt-get update
    quietly in_root apt-get install -y --no-install-recommends numactl
    quietly in_root sh -c 'apt-get install -y /dist/nearfar-numactl_*.deb'
    has_names
    quietly in_root apt-get install -y --no-install-recommends numactl
    quietly in_root sh -c '! dpkg -s nearfar-numactl'
    quietly in_root sh -c 'apt-get install -y /dist/nearfar-numactl_*.deb'
}

# has_names: those that 'nearfar alias' makes.
has_names() {
    mkdir "$root/names"
    quietly in_root nearfar alias /names
    for name in $(ls "$root/names"); do
        [ "$(readlink "$root/usr/bin/$name")" = nearfar ] || fail "/usr/bin/$name is no link"
    done
    quietly in_root numactl --hardware
    rm -r "$root/names"
}

test_rpm() {
    ensure rpm rpm
    empty_root
    file=$(ls "$folder"/nearfar-"$version"-*."$arch".rpm)
    begin
    quietly rpm --root "$root" --install "$file"
    first_survey "$file" 'rpm --root, into an empty root' in_root
    quick_start "$root" in_root
    quietly rpm --root "$root" --install "$folder"/nearfar-numactl-*.rpm
    has_names
    rpm --root "$root" --verify nearfar nearfar-numactl || fail "rpm finds changed files"
    quietly rpm --root "$root" --erase nearfar nearfar-numactl
    is_gone
    quietly rpm --root "$root" --install "$work"/older/*.rpm
    quietly rpm --root "$root" --upgrade "$folder"/*.rpm
    surveys_are_readable
    quietly rpm --root "$root" --erase nearfar nearfar-numactl
    is_gone
}

# test_dnf: from a repository of the packages, so that dnf finds what nearfar-numactl needs.
test_dnf() {
    ensure dnf dnf
    ensure createrepo_c createrepo-c
    empty_root
    cp "$folder"/*.rpm "$work/older"
    file=$(ls "$folder"/nearfar-"$version"-*."$arch".rpm)
    quietly createrepo_c "$work/older"
    begin
    quietly in_dnf install nearfar-numactl
    first_survey "$file" 'dnf --installroot, into an empty root' in_root
    quick_start "$root" in_root
    has_names
    quietly in_dnf remove nearfar
    is_gone
    quietly in_dnf install nearfar-0.1.9
    quietly in_dnf upgrade nearfar
    has_version in_root
    surveys_are_readable
}

in_dnf() {
    dnf --assumeyes --installroot="$root" --releasever=1 --setopt=reposdir=/nowhere \
        --repofrompath="nearfar,$work/older" --repo=nearfar --nogpgcheck "$@"
}

# in_home COMMAND...: by a user who has nothing but what is in $work/home.
in_home() {
    (
        mkdir -p "$work/home" && cd "$work/home"
        exec env -i HOME="$work/home" PATH="$work/bin:/usr/bin:/bin" "$@"
    )
}

test_wheel() {
    rm -rf "$work/venv" "$work/home" "$work/bin"
    file=$(ls "$folder"/*.whl)
    begin
    python3 -m venv "$work/venv"
    quietly "$work/venv/bin/pip" install --no-index "$file"
    ln -s venv/bin "$work/bin"
    first_survey "$file" 'pip, new venv' in_home
    quick_start "$work/home" in_home
    "$work/venv/bin/python" -c 'import nearfar, sys; assert nearfar.load(sys.argv[1]).cells()' \
        docs/gallery/documents/lab-xeon-2s-after.json || fail "the wheel's module reads no survey"
    cmp "$work/venv/bin/nearfar" "$folder/nearfar-$arch" || fail "the wheel has another program"
    quietly "$work/venv/bin/pip" uninstall -y nearfar
    [ ! -e "$work/venv/bin/nearfar" ] || fail "pip left nearfar"
    rm "$work/bin"
}

test_uvx() {
    rm -rf "$work/uv" "$work/home"
    python3 -m venv "$work/uv"
    quietly "$work/uv/bin/pip" install uv
    file=$(ls "$folder"/*.whl)
    begin
    first_survey "$file" 'uvx, empty cache' in_uvx
    quick_start "$work/home" in_uvx
}

# in_uvx nearfar ARG...: as 'uvx nearfar' does with a package of PyPI.
in_uvx() {
    shift
    in_home "$work/uv/bin/uvx" --offline --quiet --from "$(ls "$folder"/*.whl)" nearfar "$@"
}

# test_image: where podman cannot start containers, its unpacked image is the root of a chroot.
test_image() {
    ensure podman podman
    ensure runc runc
    rm -rf "$work/home" && mkdir "$work/home"
    file=$folder/nearfar-$version-oci-$arch.tar
    begin
    quietly in_podman load --input "$file"
    quietly image_index "dir:$work/index" in_podman
    [ "sha256:$(digest "$work/index/manifest.json")" = "$(cat "$(target_dir)/index.digest")" ] ||
        fail "the index of images is not what its checksum names"
    if in_image nearfar --version >/dev/null 2>"$work/out"; then
        first_survey "$file" 'podman load, podman run' in_image
        quick_start "$work/home" in_image
        doctor_in_container
    else
        log "podman starts no containers here: $(cat "$work/out")"
        root=$(in_podman image mount "localhost/nearfar:$version")
        first_survey "$file" 'podman load, chroot' in_root
        quick_start "$root" in_root
        in_podman image unmount --all >/dev/null
    fi
    quietly in_podman rmi --all --force
}

in_podman() {
    podman --root "$work/podman" --runroot "$work/podman-run" --storage-driver vfs \
        --cgroup-manager cgroupfs --runtime runc "$@"
}

# in_image nearfar ARG...: with options of 'podman run' in $options. Podman's own limits need
# CAP_SYS_RESOURCE.
in_image() {
    shift
    # shellcheck disable=SC2086 # words
    in_podman run --rm --network none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
        ${options:-} --volume "$work/home:/data" "localhost/nearfar:$version" "$@"
}

# doctor_in_container: options that doctor names allow what it calls refused.
doctor_in_container() {
    in_image nearfar doctor >"$work/doctor"
    grep -q 'in a container (podman)' "$work/doctor" || fail "doctor sees no container"
    allows 'location of pages' '--security-opt seccomp=unconfined'
    allows 'newer policies' '--security-opt seccomp=unconfined'
    allows 'kernel settings' --privileged
    allows 'firmware tables' --privileged
    allows cpusets --privileged
}

# allows FACILITY OPTIONS: it is not available without the options, and is with them.
allows() {
    if grep -q "^$1  *ok" "$work/doctor"; then
        log "SKIPPED $2: $1 is allowed without"
    elif ! "$folder/nearfar-$arch" doctor 2>&1 | grep "^$1  *ok" >/dev/null; then
        log "SKIPPED $2: this host has no $1"
    else
        options=$2 in_image nearfar doctor >"$work/doctor-with" 2>&1 ||
            fail "no container starts with $2: $(cat "$work/doctor-with")"
        grep -q "^$1  *ok" "$work/doctor-with" || fail "$2 does not allow $1"
    fi
}

# test_crates: what crates.io would have, by an empty cargo.
test_crates() {
    packed=$work/crates
    mkdir -p "$packed/.cargo"
    for crate in "$folder"/crates/*.crate; do
        tar -xzf "$crate" -C "$packed"
    done
    echo '[patch.crates-io]' >"$packed/.cargo/config.toml"
    for unpacked in "$packed"/*/; do
        unpacked=${unpacked%/} && name=${unpacked##*/}
        echo "${name%-"$version"} = { path = '$unpacked' }"
    done | grep -v '^nearfar = ' >>"$packed/.cargo/config.toml"
    cargo_installs "$folder/crates/nearfar-$version.crate" "$packed" "nearfar-$version"
}

test_source() {
    mkdir "$work/source"
    tar -xzf "$folder/nearfar-$version.tar.gz" -C "$work/source" --strip-components=1
    cargo_installs "$folder/nearfar-$version.tar.gz" "$work/source" crates/cli
}

# cargo_installs FILE FOLDER PATH: FILE's PATH below FOLDER. It is compiled from nothing.
cargo_installs() {
    rm -rf "$work/home" "$work/bin" "$work/cargo"
    begin
    (
        unset NEARFAR_COMMIT CARGO_TARGET_DIR NEARFAR_GPU_HELPER_BINARY
        cd "$2" && CARGO_HOME=$work/cargo quietly cargo install --path "$3" --root "$work/installed"
    )
    ln -s installed/bin "$work/bin"
    first_survey "$1" 'cargo install, empty CARGO_HOME' in_home
    commit=${commit%-modified} quick_start "$work/home" in_home
    rm -r "$work/bin" "$work/installed" "$work/cargo"
}
