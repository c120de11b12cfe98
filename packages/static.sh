# shellcheck shell=sh
# How released programs are linked: statically, and the same bytes in any folder. Part of ./dev,
# which sources this.

# has_std TARGET: whether the standard library for it is installed.
has_std() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; }

# host_is TARGET: whether programs for it run here.
host_is() { [ "$(uname -m)-unknown-linux" = "${1%-*}" ]; }

# build_static TARGET: the released command, linked statically, in TARGET/release of the target
# folder. It starts in half of the time that a dynamic one takes, and runs on every Linux.
build_static() {
    linked_statically "$1" cargo build --release --locked --quiet -p nearfar --target "$1"
}

# linked_statically TARGET COMMAND...: runs what compiles for it.
linked_statically() {
    target=$1
    shift
    variable=CARGO_TARGET_$(printf %s "$target" | tr a-z- A-Z_)
    # At a fixed address: each start would write 170 pages of relocations first. A panic aborts, so
    # nothing reads tables for unwinding.
    flags="-C force-unwind-tables=no -C relocation-model=static $(same_everywhere)"
    tables=$PWD/packages/no-unwinding.ld
    case $target in
        *-musl)
            set -- "${variable}_LINKER=rust-lld" "$@"
            flags="$flags -C link-arg=--icf=all -C link-arg=--no-eh-frame-hdr -C link-arg=-T$tables"
            ;;
        *)
            flags="$flags -C target-feature=+crt-static"
            # GNU ld cannot fold functions.
            for smaller in "-C link-arg=-Wl,--icf=all" \
                "-C link-arg=-Wl,--no-eh-frame-hdr -C link-arg=-Wl,-T$tables"; do
                ! links_and_runs "$target" $flags $smaller || flags="$flags $smaller"
            done
            ;;
    esac
    env "${variable}_RUSTFLAGS=$flags" "$@"
}

# links_and_runs TARGET FLAG...: whether a program that rustc links with these flags starts here.
links_and_runs() (
    place=$(mktemp -d)
    for=$1
    shift
    echo 'fn main() {}' >"$place/probe.rs"
    runs=0
    {
        rustc --target "$for" "$@" -o "$place/probe" "$place/probe.rs" && "$place/probe"
    } >/dev/null 2>&1 || runs=1
    rm -rf "$place"
    exit $runs
)

# The target for which this system links programs statically with its own C library.
static_host() {
    host=$(rustc --version --verbose | sed -n 's/^host: //p')
    case $host in
        *-linux-gnu) [ -e "$(cc -print-file-name=libc.a)" ] || return 1 ;;
    esac
    printf %s "$host"
}

# same_everywhere: flags that keep the names of this machine's folders out of programs.
same_everywhere() {
    mkdir -p "$(target_dir)"
    source=$(rustc --print sysroot)/lib/rustlib/src/rust
    std=/rustc/$(rustc --version --verbose | sed -n 's/^commit-hash: //p')
    # The last that fits counts, and the target folder may be in the checkout.
    printf -- '--remap-path-prefix=%s=%s ' "$PWD" /nearfar \
        "${CARGO_HOME:-$HOME/.cargo}" /cargo "$(cd "$(target_dir)" && pwd)" /target \
        "$source" "$std"
}

needs_std() {
    has_std "$1" || {
        log "cannot build for $1: its standard library is not installed (rustup target add $1)"
        exit 1
    }
}

# has_or_fetches_std TARGET: whether the standard library for it is installed, by now.
has_or_fetches_std() { has_std "$1" || rustup target add "$1" >/dev/null 2>&1; }

# dist_target ARCH: musl where rustup has or fetches its standard library, else this system's own C
# library.
dist_target() {
    musl=$1-unknown-linux-musl
    if has_or_fetches_std "$musl"; then
        echo "$musl"
    elif host_is "$1-unknown-linux-gnu" && host=$(static_host); then
        echo "$host"
    else
        echo "$musl"
    fi
}
