# The programs that `./dev bench peers` sets beside nearfar, as far as they can be had: the
# row of a missing one shows it.

peers_setup() {
    for pair in mbw:mbw sysbench:sysbench stress-ng:stress-ng perf:linux-perf numactl:numactl \
        taskset:util-linux; do
        command -v "${pair%%:*}" >/dev/null || (apt_install "${pair#*:}") ||
            log "going on without ${pair%%:*}"
    done
    NEARFAR_PEERS=${CARGO_TARGET_DIR:-$PWD/target}/peers/bin
    mkdir -p "$NEARFAR_PEERS"
    NEARFAR_PEERS=$(cd "$NEARFAR_PEERS" && pwd)
    export NEARFAR_PEERS
    peers_have core-to-core-latency || {
        log "building core-to-core-latency"
        cargo install --quiet --locked --root "${NEARFAR_PEERS%/bin}" core-to-core-latency ||
            log "going on without core-to-core-latency"
    }
    peers_have numademo || {
        log "building numademo"
        peers_numademo "${NEARFAR_PEERS%/bin}/numactl" || log "going on without numademo"
    }
}

peers_have() { command -v "$1" >/dev/null || [ -x "$NEARFAR_PEERS/$1" ]; }

# peers_numademo FOLDER: Debian's numactl comes without numademo, its source has it. It refuses
# machines of one node, though its first figures are of memory without any policy: that demand is
# taken out.
peers_numademo() (
    mkdir -p "$1/state/lists/partial" "$1/source"
    cd "$1"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
        'Created-By: Packages' 'Component: main' |
        grep -v ' .*-' | sort -u | sed "s|.*|deb-src [signed-by=$keys] & main|" >sources.list
    cat >conf <<CONF
Dir::State "$1/state";
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "/dev/null";
APT::Sandbox::User "root";
CONF
    export APT_CONFIG="$1/conf"
    apt-get update -qq && apt-get source -qq --download-only numactl >/dev/null || return
    tar -xf numactl_*.orig.tar.* -C source --strip-components=1
    cd source
    sed -i 's/nr_nodes < 2/nr_nodes < 1/' numademo.c
    cc -O3 -ffast-math -funroll-loops -D_GNU_SOURCE -DHAVE_STREAM_LIB -DHAVE_MT -DHAVE_CLEAR_CACHE \
        -I. -w -o "$NEARFAR_PEERS/numademo" \
        numademo.c stream_lib.c mt.c clearcache.c util.c -l:libnuma.so.1 -lm
)
