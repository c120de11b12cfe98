size=8M
held bind $size nearfar run -m 1
held bind-two $size nearfar run -N 0 -m 1,3
held preferred $size nearfar run -p 3
held preferred-many $size nearfar run -N 2 -P 1,3
held interleave $size nearfar run -i 0,1,3
nearfar run --weights 0=5,1=2,3=1 >weights.out
cat /sys/kernel/mm/mempolicy/weighted_interleave/node[0-3] >weights
held weighted $size nearfar run -w 0,1,3
held local $size nearfar run -N 1 -l
held default $size nearfar run -i 3 nearfar run -C 4 --default
held cpus $size nearfar run -C 1,3
held cpu-nodes $size nearfar run -N 0,2

# mapped NAME WORDS...: a mapping of 8 MiB with a policy of its own, in a process that has none.
mapped() {
    local name=$1
    shift
    counters >"$name.before"
    /tmp/ours/memhog -r100000 8m "$@" >/dev/null &
    pid=$!
    until grep -q 'anon=2048 ' "/proc/$pid/numa_maps"; do usleep 50000; done
    cat "/proc/$pid/numa_maps" >"$name.maps"
    counters >"$name.after"
    kill "$pid"
}
mapped map-bind membind 3
mapped map-interleave interleave 1,3
mapped map-weighted weighted-interleave 0,3
mapped map-preferred preferred 2
mapped map-many preferred-many 1,3

# Balancing: programs that got their memory on node 1 go on using it from node 0. They are bound to
# both.
echo 1 >/proc/sys/kernel/numa_balancing
uses="dd if=/dev/zero of=/dev/null bs=4M"
nearfar run -C 2 -m 0,1 -b $uses & balanced=$!
nearfar run -C 3 -m 0,1 $uses & unbalanced=$!
for pid in $balanced $unbalanced; do
    until grep -q 'anon=1024 ' "/proc/$pid/numa_maps"; do usleep 50000; done
done
cat /proc/$balanced/numa_maps >balanced.first
taskset -p 1 $balanced >/dev/null
taskset -p 2 $unbalanced >/dev/null
# On a busy host it takes the kernel longer than the six seconds that the other program gets at
# least.
for second in $(seq 60); do
    sleep 1
    cat /proc/$balanced/numa_maps >balanced.maps
    moved=$(sed -n 's/.*anon=1024 .* N0=\([0-9]*\) .*/\1/p' balanced.maps)
    [ "$second" -lt 6 ] || [ "${moved:-0}" -le 512 ] || break
done
cat /proc/$unbalanced/numa_maps >unbalanced.maps
kill $balanced $unbalanced
echo 0 >/proc/sys/kernel/numa_balancing

# Node 2 is small, and the guest's own files take part of it.
sed -n 's/^Node 2 MemFree: *\([0-9]*\) kB/\1/p' /sys/devices/system/node/node2/meminfo >full.free
held full-preferred 150M nearfar run -N 2 -p 2
tried full-bind nearfar run -m 2 dd if=/dev/zero of=/dev/null bs=150M count=1
dmesg | grep -i 'oom-kill\|Out of memory\|Killed process' >full-bind.log
