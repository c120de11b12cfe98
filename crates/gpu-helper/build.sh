# shellcheck shell=sh
# The program nearfar-gpu for a release: it loads a GPU driver's library, which a static program
# cannot. Part of ./dev, which sources this.

# The oldest glibc with which nearfar-gpu starts, that of Rust's own standard library.
oldest_glibc=2.17

# What links for that glibc, from PyPI.
zig_packages='cargo-zigbuild==0.24.1 ziglang==0.17.1'

# gpu_helper ARCH FOLDER: builds FOLDER/nearfar-gpu-ARCH. Sets $helper to its absolute path.
gpu_helper() {
    gnu=$1-unknown-linux-gnu
    has_or_fetches_std "$gnu" || needs_std "$gnu"
    zig_tools
    log "building nearfar-gpu for $gnu, glibc $oldest_glibc and newer"
    variable=CARGO_TARGET_$(printf %s "$gnu" | tr a-z- A-Z_)
    # A panic aborts, so nothing reads tables for unwinding.
    env PATH="$zig/bin:$PATH" XDG_CACHE_HOME="$zig/cache" \
        "${variable}_RUSTFLAGS=-C force-unwind-tables=no $(same_everywhere)" \
        cargo zigbuild --profile helper --locked --quiet -p nearfar-gpu-helper --bin nearfar-gpu \
        --target "$gnu.$oldest_glibc"
    helper=$(cd "$2" && pwd)/nearfar-gpu-$1
    cp "$(target_dir)/$gnu/helper/nearfar-gpu" "$helper"
    runs_on_old_systems "$helper"
}

# runs_on_old_systems PROGRAM: whether it is dynamic, and needs no library but glibc's, and no
# newer glibc.
runs_on_old_systems() {
    readelf -lW "$1" | grep -q 'program interpreter' || {
        log "$1 is not dynamic: it cannot load a GPU driver's library"
        exit 1
    }
    foreign=$(readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
        grep -vE '^(lib(c|m|dl|pthread|rt)|ld-linux-[a-z0-9-]*)\.so\.[0-9]+$' || true)
    [ -z "$foreign" ] || {
        log "$1 needs libraries that are not glibc's:" $foreign
        exit 1
    }
    newest=$(readelf -VW "$1" | grep -o 'GLIBC_[A-Za-z0-9_.]*' |
        { cat; echo "GLIBC_$oldest_glibc"; } | sort -V | tail -n 1)
    [ "$newest" = "GLIBC_$oldest_glibc" ] || {
        log "$1 needs $newest, and must start with glibc $oldest_glibc"
        exit 1
    }
}

# zig_tools: an environment of Python with $zig_packages, in the target folder. Sets $zig.
zig_tools() {
    mkdir -p "$(target_dir)"
    zig=$(cd "$(target_dir)" && pwd)/zig
    [ "$(cat "$zig/packages" 2>/dev/null)" != "$zig_packages" ] || return 0
    ensure python3 python3
    python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
    log "fetching $zig_packages"
    rm -rf "$zig"
    # shellcheck disable=SC2086 # words
    python3 -m venv "$zig" && "$zig/bin/pip" install --quiet $zig_packages || {
        log "cannot fetch $zig_packages, which link nearfar-gpu: PyPI has to be reachable"
        exit 1
    }
    printf %s "$zig_packages" >"$zig/packages"
}
