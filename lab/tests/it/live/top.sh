top="nearfar top --filter dd --rows 1 -d 0.5 --json"
# seen NAME MEMORY...: ten ticks of a program on node 0 whose memory is placed so.
seen() {
    local name=$1
    shift
    holds "$name" 64M nearfar run -C 0 "$@"
    tried "$name" $top -n 10
    lets_go
}
seen near -m 0
seen third -i 0,1,3
seen far -m 1
sed -n 's/^Node 1 MemTotal: *\([0-9]*\) kB/\1/p' /sys/devices/system/node/node1/meminfo >total

# A migration, after some ticks without.
holds moving 64M nearfar run -C 0 -p 0
tried moving $top -n 16 & watching=$!
sleep 4
nearfar migrate $pid 0 1 >/dev/null
wait $watching
lets_go

# A control group with the CPUs of node 0 and memory of node 1, which vanishes.
echo '+memory +cpuset +pids' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
echo 0-1 >/sys/fs/cgroup/box/cpuset.cpus
holds boxed 64M sh -c 'echo $$ >/sys/fs/cgroup/box/cgroup.procs; exec nearfar run -m 1 "$@"' sh
tried groups nearfar top --cgroups -d 0.5 --json -n 20 & watching=$!
sleep 4
lets_go
rmdir /sys/fs/cgroup/box
wait $watching
