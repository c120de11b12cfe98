# shellcheck shell=sh
# Bare systems in which packages are tested. Part of ./dev, through packages/test.sh.

# bare_root NAME: a copy of a bare system. Sets $root. An archive whose signature cannot be checked
# is not used: what is installed of it runs as root.
bare_root() {
    kept=$(target_dir)/packages/roots/$1
    [ -e "$kept.done" ] || {
        ensure debootstrap debootstrap
        log "making a bare $1"
        rm -rf "$kept" && mkdir -p "$kept"
        case $1 in
            # Debian's debootstrap has no list of Ubuntu's releases and keys.
            jammy | noble)
                keys=${UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
                [ -s "$keys" ] || {
                    echo "no keys of Ubuntu in $keys: install ubuntu-archive-keyring, or name" \
                        "its file in UBUNTU_KEYRING" | tee "$kept.log" >&2
                    return 1
                }
                debootstrap --variant=minbase --force-check-gpg --keyring="$keys" "$1" "$kept" \
                    http://archive.ubuntu.com/ubuntu gutsy >"$kept.log"
                ;;
            *) debootstrap --variant=minbase --force-check-gpg "$1" "$kept" >"$kept.log" ;;
        esac || return 1
        rm -f "$kept"/var/cache/apt/archives/*.deb
        touch "$kept.done"
    }
    empty_root
    cp -a "$kept/." "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
}

# empty_root: a folder without a file. Sets $root.
empty_root() {
    root=$work/root
    rm -rf "$root"
    mkdir -p "$root"
}

# in_root COMMAND...: runs it in $root, with this machine's /sys and /dev, and packages in /dist.
# The mounts, and processes that it leaves, end with it.
in_root() {
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1 folder=$2 && shift 2
        cd "$root" && mkdir -p proc sys dev dist root
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount --bind "$folder" dist
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive \
            chroot . "$@"
    ' sh "$root" "$folder" "$@"
}
