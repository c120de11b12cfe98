# shellcheck shell=sh
# The lab's kit: what guests are made of, collected in $CARGO_TARGET_DIR/lab. Part of ./dev, which
# sources this.
#
#   x86_64/, aarch64/   vmlinuz, modules/, busybox, nearfar, chase and timed-read (static);
#                       numactl/: Debian's numactl with its libraries, to compare with
#   x86_64/             fio/, irqbalance/ and dmsetup/: the same of these, for machines with
#                       devices;
#                       gpu-driver/: the stand-in for libraries of GPU drivers;
#                       linux-6.1/: vmlinuz and modules/ of Debian 12's own kernel
#   plugin.so           charges for accesses
#
# Kernel, busybox and programs to compare with come from Debian's archive by an apt with a state of
# its own, so that nothing but QEMU (and on Debian's own Rust a cross linker) is installed on this
# system.
# Unavailable parts are logged, and the rest is built: the lab names what it lacks.

# Drivers of the ports to the launcher, and of the devices that machines have
# (lab/src/machine/devices.rs); and of disks whose reads fail.
lab_drivers='virtio_pci virtio_console nvme e1000e xhci_pci usb_storage virtio_net vmxnet3'
lab_drivers="$lab_drivers virtio_blk virtio_scsi ahci sd_mod bochs dm_mod"

# Programs of the lab itself for guests.
lab_own='chase timed-read'

lab_kit() { printf '%s/lab' "${CARGO_TARGET_DIR:-$PWD/target}"; }

# lab_lacks WHAT: logged at once and again at the end.
lab_lacks() {
    log "THE LAB LACKS $*"
    printf '%s\n' "$*" >>"$kit/lacks"
}

# lab_setup: all parts, for both architectures.
lab_setup() {
    ensure_rust
    lab_fetched x86_64 aarch64
    lab_programs_of x86_64 aarch64
}

# lab_fetched ARCH...: QEMU and what comes from Debian.
lab_fetched() {
    kit=$(lab_kit)
    mkdir -p "$kit"
    : >"$kit/lacks"
    for guest in "$@"; do
        mkdir -p "$kit/$guest"
        case $guest in
            x86_64) debian=amd64 && lab_qemu qemu-system-x86_64 qemu-system-x86 ;;
            aarch64) debian=arm64 && lab_qemu qemu-system-aarch64 qemu-system-arm ;;
        esac
        [ -f "$kit/$guest/busybox" ] || lab_busybox "$debian" "$kit/$guest" ||
            lab_lacks "a busybox for $guest"
        # A kit of an earlier list lacks drivers.
        [ "$(cat "$kit/$guest/drivers" 2>/dev/null)" = "$lab_drivers" ] ||
            lab_kernel "$debian" "$kit/$guest" || lab_lacks "a kernel for $guest"
        [ -d "$kit/$guest/numactl" ] || lab_numactl "$debian" "$kit/$guest" ||
            lab_lacks "Debian's numactl for $guest"
        # Kernels before 6.12 do not show which interrupts are managed.
        old="$kit/$guest/linux-6.1"
        [ "$guest" = aarch64 ] || [ "$(cat "$old/drivers" 2>/dev/null)" = "$lab_drivers" ] ||
            lab_old_kernel "$debian" "$kit/$guest" || lab_lacks "Linux 6.1 for $guest"
        [ "$guest" = x86_64 ] && for peer in fio irqbalance dmsetup; do
            [ -d "$kit/$guest/$peer" ] || lab_peer "$debian" "$kit/$guest" "$peer" ||
                lab_lacks "Debian's $peer for $guest"
        done
        rm -rf "$kit/$guest/apt" "$kit/$guest/pool"
    done
}

# lab_programs_of ARCH...: what the compiler makes.
lab_programs_of() {
    kit=$(lab_kit)
    for guest in "$@"; do
        lab_programs "$guest" || lab_lacks "nearfar for $guest"
    done
    lab_plugin
    [ ! -s "$kit/lacks" ] ||
        log "the lab is not whole: its tests of what is missing will be skipped"
}

lab_qemu() {
    command -v "$1" >/dev/null || (apt_install "$2") || lab_lacks "$1 (package $2)"
}

# lab_fetch DEBIAN_ARCH FOLDER PACKAGE: unpacks a package of Debian's archive to FOLDER/apt/root,
# with this system's sources and keys.
lab_fetch() {
    command -v apt-get >/dev/null || return 1
    apt="$2/apt"
    rm -rf "$apt/root"
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/root"
    if [ ! -f "$apt/conf" ]; then
        lab_apt_state "$1"
        # A source without this architecture is no reason to give up.
        log "reading Debian's list of packages for $1"
        APT_CONFIG="$apt/conf" apt-get update -qq >/dev/null 2>&1 || true
    fi
    package=$3 release=
    # Debian's name for the newest kernel stands for a package with its version.
    [ "$package" != "linux-image-$1" ] || lab_kernel_package "$1"
    log "fetching ${package:-$3} for $1"
    (
        cd "$apt" && rm -f ./*.deb &&
            APT_CONFIG="$apt/conf" apt-get download -qq $release "$package"
    ) >/dev/null 2>&1 &&
        dpkg -x "$apt"/*.deb "$apt/root"
}

# lab_apt_state DEBIAN_ARCH: an apt that knows this system's sources, on Debian 12 its backports, on
# Debian 13 those of Debian 12, and nothing that is installed.
lab_apt_state() {
    : >"$apt/status"
    [ ! -f /etc/apt/sources.list ] || cat /etc/apt/sources.list >"$apt/sources.list"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    # The mirror is that of this system's own packages.
    [ ! -f "$keys" ] || apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
        'Created-By: Packages' 'Component: main' 2>/dev/null |
        sed -n "s|^\([^ ]*\) bookworm\$|deb [signed-by=$keys] \1 bookworm-backports main|p
            s|^\([^ ]*\) trixie\$|deb [signed-by=$keys] \1 bookworm main|p" |
            sort -u | head -n 1 >>"$apt/sources.list"
    cat >"$apt/conf" <<CONF
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
APT::Architecture "$1";
APT::Architectures { "$1"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
}

# lab_kernel_package DEBIAN_ARCH: the package of the newest kernel. That of a PC comes from
# backports where there are any, for Debian 12's own has no weighted interleave. (Backports' kernel
# for Arm does not start on 24 CPUs in Debian 12's QEMU.)
lab_kernel_package() {
    for release in -oAPT::Default-Release=bookworm-backports ''; do
        [ "$1" = amd64 ] || release=
        # shellcheck disable=SC2086 # nothing, or one word
        versioned=$(APT_CONFIG="$apt/conf" apt-cache $release depends "$package" 2>/dev/null |
            sed -n 's/.* \(linux-image-[0-9].*\)/\1/p')
        [ -z "$versioned" ] || break
    done
    package=$versioned
}

lab_busybox() {
    lab_fetch "$1" "$2" busybox-static || return 1
    cp "$(find "$2/apt/root" -path "*/bin/busybox" -type f | head -n 1)" "$2/busybox"
}

lab_kernel() {
    lab_fetch "$1" "$2" "linux-image-$1" && lab_kernel_into "$2" "$2"
}

# lab_old_kernel DEBIAN_ARCH FOLDER: Debian 12's own kernel, from its archive or its security
# updates.
lab_old_kernel() {
    [ -f "$2/apt/conf" ] || lab_fetch "$1" "$2" "linux-image-$1" || return 1
    versioned=$(APT_CONFIG="$2/apt/conf" apt-cache pkgnames linux-image-6.1.0- 2>/dev/null |
        grep -x "linux-image-6\.1\.0-[0-9]*-$1" | sort -V | tail -n 1)
    [ -n "$versioned" ] && lab_fetch "$1" "$2" "$versioned" || return 1
    mkdir -p "$2/linux-6.1" && lab_kernel_into "$2" "$2/linux-6.1"
}

# lab_kernel_into FROM TO: the kernel that was fetched, and the drivers. Their list comes last:
# where it is, the kernel and its modules are.
lab_kernel_into() {
    rm -rf "$2/modules"
    mkdir "$2/modules"
    # shellcheck disable=SC2086 # words
    lab_modules "$1" "$2/modules" $lab_drivers
    lab_uncompressed "$1"/apt/root/boot/vmlinuz-* "$2/vmlinux" && mv "$2/vmlinux" "$2/vmlinuz" ||
        cp "$1"/apt/root/boot/vmlinuz-* "$2/vmlinuz"
    basename "$1"/apt/root/boot/vmlinuz-* | sed 's/^vmlinuz-//' >"$2/release"
    printf '%s' "$lab_drivers" >"$2/drivers"
}

# numactl and the C library it is linked with, at their places. Where Debian has moved /lib into
# /usr, links lead there.
lab_numactl() {
    tree="$2/numactl.new"
    rm -rf "$tree"
    mkdir "$tree"
    for needed in numactl libnuma1 libc6; do
        lab_fetch "$1" "$2" "$needed" || return 1
        cp -a "$2/apt/root/." "$tree/"
    done
    rm -rf "$tree/usr/share" "$tree"/usr/lib/*/gconv "$tree"/lib/*/gconv "$tree/etc" "$tree/var"
    for moved in lib lib64; do
        [ -e "$tree/$moved" ] || [ ! -d "$tree/usr/$moved" ] || ln -s "usr/$moved" "$tree/$moved"
    done
    mv "$tree" "$2/numactl"
}

# lab_peer DEBIAN_ARCH FOLDER PROGRAM: Debian's program with the libraries that it is linked with,
# at their places in a system whose /lib is a link into /usr. What else its package depends on
# (Python, services) is left out.
lab_peer() {
    tree="$2/$3.new" pool="$2/pool" program=$3
    rm -rf "$tree" "$pool"
    mkdir -p "$tree/usr" "$pool"
    lab_fetch "$1" "$2" "$program" || return 1
    file=$(find "$apt/root" -path "*bin/$program" -type f | head -n 1)
    lab_pool || return 1
    lab_linked "${file#"$apt/root"}" || return 1
    for moved in lib lib64; do
        [ ! -d "$tree/usr/$moved" ] || ln -s "usr/$moved" "$tree/$moved"
    done
    rm -rf "$pool"
    mv "$tree" "$2/$program"
}

# lab_pool: unpacks $program and all packages of libraries below it to $pool.
lab_pool() {
    wanted=$program all=
    while [ -n "$wanted" ]; do
        all="$all $wanted"
        # shellcheck disable=SC2086 # words
        wanted=$(APT_CONFIG="$apt/conf" apt-cache depends -i $wanted 2>/dev/null |
            sed -n 's/.*Depends: \(z\{0,1\}lib[^ ]*\)$/\1/p' | sort -u |
            while read -r name; do
                case " $all " in *[[:space:]]"$name"[[:space:]]*) ;; *) echo "$name" ;; esac
            done)
    done
    log "fetching the libraries of $program"
    # shellcheck disable=SC2086 # words
    (cd "$pool" && APT_CONFIG="$apt/conf" apt-get download -qq $all) >/dev/null 2>&1 || return 1
    for package in "$pool"/*.deb; do
        dpkg -x "$package" "$pool" || return 1
    done
}

# lab_linked FILE: copies a program of $pool and what it is linked with to $tree.
lab_linked() {
    set -- "$1" "$(readelf -l "$pool$1" 2>/dev/null | sed -n 's/.*interpreter: \(.*\)]/\1/p')"
    [ -n "$2" ] || return 1
    while [ $# -gt 0 ]; do
        at=$tree/usr${1#/usr} from=$pool$1
        # Debian 13 has moved /lib64 into /usr in its packages, too.
        [ -e "$from" ] || from=$pool/usr$1
        shift
        [ ! -e "$at" ] || continue
        mkdir -p "${at%/*}" && cp -L "$from" "$at" || return 1
        for name in $(readelf -d "$from" | sed -n 's/.*(NEEDED).*\[\(.*\)]/\1/p'); do
            found=$(find "$pool" -name "$name" | head -n 1)
            [ -n "$found" ] || return 1
            set -- "$@" "${found#"$pool"}"
        done
    done
}

# lab_uncompressed VMLINUZ TO: the kernel inside a bzImage, which QEMU starts by its PVH entry.
# Unpacking itself takes an emulated CPU four seconds of each boot. Fails where it is packed with
# neither xz nor zstd, or not at all.
lab_uncompressed() {
    lab_unpack_kernel "$1" "$2" '\375\067\172\130\132' xzcat xz-utils ||
        lab_unpack_kernel "$1" "$2" '\050\265\057\375' zstdcat zstd
}

# lab_unpack_kernel VMLINUZ TO MAGIC READER PACKAGE
lab_unpack_kernel() {
    from=$(LC_ALL=C grep -abom1 "$(printf "$3")" "$1" | head -n 1 | cut -d: -f1)
    [ -n "$from" ] || return 1
    command -v "$4" >/dev/null || (apt_install "$5") || return 1
    # What follows the packed kernel is not packed: the reader complains, and has all.
    tail -c "+$((from + 1))" "$1" | "$4" >"$2" 2>/dev/null || true
    [ "$(head -c 4 "$2" | tail -c 3)" = ELF ] || { rm -f "$2" && return 1; }
}

# lab_modules FOLDER TO NAME...: copies modules and those that they depend on. What is built in is
# not there to be found.
lab_modules() {
    folder=$1 modules=$2
    shift 2
    while [ $# -gt 0 ]; do
        name=$(printf %s "$1" | tr _ '?' | tr - '?')
        module=$(find "$folder/apt/root" -name "$name.ko*" | head -n 1)
        shift
        [ -n "$module" ] && [ ! -e "$modules/${module##*/}" ] || continue
        cp "$module" "$modules/"
        # shellcheck disable=SC2046 # one word for each module
        set -- "$@" $(lab_unpacked "$module" | tr '\0' '\n' | sed -n 's/^depends=//p' | tr , ' ')
    done
}

lab_unpacked() {
    case $1 in
        *.xz) "$kit/$(uname -m)/busybox" xzcat <"$1" ;;
        *) cat "$1" ;;
    esac
}

# lab_programs ARCH: nearfar, and the program that it sweeps in tests, by the profile of tests. For
# this system's own architecture nearfar is the file that tests run here, with the libraries that it
# is linked with; for another it is linked statically: with musl where rustup has its standard
# library, else with the C library of the system.
lab_programs() {
    if [ "$1" = "$(uname -m)" ]; then
        lab_own_programs "$1"
        return
    fi
    musl=$1-unknown-linux-musl
    command -v rustup >/dev/null && ! has_std "$musl" &&
        { rustup target add "$musl" >/dev/null 2>&1 || log "rustup cannot add $musl"; }
    if has_std "$musl"; then
        lab_build "$1" "$musl" "nearfar $lab_own" _LINKER=rust-lld "_RUSTFLAGS=-C strip=symbols"
    else
        gnu=$1-unknown-linux-gnu
        lab_cross_std "$1" "$gnu" &&
            lab_build "$1" "$gnu" "nearfar $lab_own" "_LINKER=$1-linux-gnu-gcc" \
                "_RUSTFLAGS=-C strip=symbols -C target-feature=+crt-static --sysroot $kit/sysroot"
    fi
}

lab_own_programs() {
    built=$(target_dir)/$(profile_folder)
    compile --lib --bins --examples && lab_install "$built/nearfar" "$kit/$1/nearfar" &&
        lab_libraries "$built/nearfar" "$kit/$1/libraries" &&
        lab_gpu_driver "$built/libnearfar_lab_gpu.so" "$kit/$1/gpu-driver" &&
        lab_build "$1" "$1-unknown-linux-gnu" "$lab_own" "_RUSTFLAGS=-C target-feature=+crt-static"
}

# lab_gpu_driver LIBRARY FOLDER: the stand-in for the libraries of GPU drivers, by their names, and
# the GPUs of machines, in the folder lab/gpu of a guest; and the libraries that it needs itself.
lab_gpu_driver() {
    lab_libraries "$1" "$2" && mkdir -p "$2/lab/gpu" || return 1
    strip -o "$2/lab/gpu/libcuda.so.1" "$1" || cp "$1" "$2/lab/gpu/libcuda.so.1" || return 1
    ln -sf libcuda.so.1 "$2/lab/gpu/libamdhip64.so.6"
    cp lab/gpu/machines/*.toml "$2/lab/gpu/"
}

# lab_libraries PROGRAM FOLDER: the libraries that a program is linked with, the loader among them,
# as a system has them whose /lib leads into /usr.
lab_libraries() {
    rm -rf "$2.new"
    mkdir -p "$2.new/usr"
    for library in $(ldd "$1" | sed -n 's|.*[[:space:]]\(/[^ ]*\) (0x.*|\1|p'); do
        at=/usr${library#/usr}
        mkdir -p "$2.new${at%/*}" && cp -L "$library" "$2.new$at" || return 1
    done
    for folder in lib lib64; do
        [ ! -d "$2.new/usr/$folder" ] || ln -s "usr/$folder" "$2.new/$folder"
    done
    rm -rf "$2" && mv "$2.new" "$2"
}

# lab_build ARCH TARGET PROGRAMS SETTING...: a setting is one of cargo's for a target, without the
# target's name. This system's own target must not be given a linker: that is one of its build
# scripts' as well, and cargo would build everything anew each time.
lab_build() {
    arch=$1 target=$2 programs=$3
    shift 3
    variable=$(printf %s "CARGO_TARGET_$target" | tr a-z- A-Z_)
    for setting in "$@"; do
        shift
        set -- "$@" "$variable$setting"
    done
    # shellcheck disable=SC2086 # words
    (export "$@" && compile $(printf ' --bin %s' $programs) --target "$target") || return 1
    for program in $programs; do
        lab_install "$(target_dir)/$target/$(profile_folder)/$program" "$kit/$arch/$program" ||
            return 1
    done
}

# lab_cross_std ARCH TARGET: Debian's own Rust for another architecture. Its standard library is a
# package of that architecture; rustc finds it in a sysroot that is made of links to both.
lab_cross_std() {
    debian=$(case $1 in aarch64) echo arm64 ;; *) echo amd64 ;; esac)
    command -v "$1-linux-gnu-gcc" >/dev/null ||
        (apt_install "gcc-$(printf %s "$1" | tr _ -)-linux-gnu" "libc6-dev-$debian-cross") ||
        return 1
    rustlib=$kit/sysroot/lib/rustlib
    here=$(rustc --print sysroot)/lib/rustlib
    [ ! -d "$rustlib/$2/lib" ] ||
        [ "$(cat "$kit/sysroot/version" 2>/dev/null)" != "$(rustc --version)" ] || return 0
    package=libstd-rust-dev
    ! dpkg -s rustc-web >/dev/null 2>&1 || package=libstd-rust-web-dev
    mkdir -p "$rustlib" "$kit/cross"
    lab_fetch "$debian" "$kit/cross" "$package" || return 1
    rm -rf "${rustlib:?}"/*
    mv "$kit/cross/apt/root/usr/lib/rustlib/$2" "$rustlib/$2" && ln -s "$here"/* "$rustlib/" ||
        return 1
    rm -rf "$kit/cross"
    rustc --version >"$kit/sysroot/version"
}

lab_plugin() {
    compile --lib --bins --examples &&
        lab_install "$(target_dir)/$(profile_folder)/libnearfar_lab_plugin.so" "$kit/plugin.so" ||
        lab_lacks "the plugin"
}

# lab_install FROM TO: copies a program without its symbols. A guest that runs keeps the file that
# it has. Programs of another architecture, which this system's strip may not know, are linked
# without symbols.
lab_install() {
    strip -o "$2.new" "$1" 2>/dev/null || cp "$1" "$2.new" || return 1
    if cmp -s "$2.new" "$2"; then rm "$2.new"; else mv "$2.new" "$2"; fi
}
