# What every script of the placing tests begins with. Findings are files in /out; what is shown
# there comes from the kernel, not from nearfar.
cd /out || exit 1
theirs=/bin/numactl
mkdir -p /tmp/ours && nearfar alias /tmp/ours >/dev/null
ours=/tmp/ours/numactl
# A shell's program that prints the place it got.
place='sed -n s/_allowed_list.//p /proc/self/status
read -r start facts </proc/self/numa_maps
echo "${facts%% file=*}"'
# Pages are counted one by one.
echo never >/sys/kernel/mm/transparent_hugepage/enabled

# counters: what the kernel's allocator has counted on each node.
counters() {
    for node in /sys/devices/system/node/node[0-9]*; do
        sed "s/^/${node##*node} /" "$node/numastat"
    done
}

# shmem: kB of shared memory on each node.
shmem() {
    sed -n 's/^Node \([0-9]*\) Shmem: *\([0-9]*\) kB/\1 \2/p' \
        /sys/devices/system/node/node[0-9]*/meminfo
}

# holds NAME SIZE COMMAND...: starts a program in the place that COMMAND gives it, which fills SIZE
# bytes and holds them. Its number is in $pid.
holds() {
    local name=$1 size=$2
    shift 2
    counters >"$name.before"
    rm -f /tmp/held
    mkfifo /tmp/held
    "$@" dd if=/dev/zero of=/tmp/held "bs=$size" count=1 2>"$name.err" &
    pid=$!
    # The first byte comes when all of it is filled; the rest does not fit into the pipe.
    exec 3</tmp/held
    head -c 1 <&3 >/dev/null
    cat "/proc/$pid/numa_maps" >"$name.maps"
    cat "/proc/$pid/status" >"$name.status"
    counters >"$name.after"
}

# lets_go: ends what holds, which may be the last of several.
lets_go() {
    exec 3<&-
    wait "$pid"
}

# held NAME SIZE COMMAND...: the same, and lets go of it.
held() {
    holds "$@"
    lets_go
}

# tried NAME COMMAND...: its output and its status.
tried() {
    local name=$1
    shift
    "$@" >"$name.out" 2>"$name.err"
    echo $? >"$name.code"
}
