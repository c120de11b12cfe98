# The figures of the program that holds memory. By its number: other command lines may name it, too.
top() { echo "nearfar top -p $pid --rows 1 --json"; }
# seen NAME PLACE...: a program on node 0 whose memory is placed so, in six samples of its pages.
seen() {
    local name=$1
    shift
    holds "$name" 64M nearfar run -C 0 "$@"
    for turn in $(seq 6); do $(top) --once -d 0.1; done >"$name.out" 2>"$name.err"
    echo $? >"$name.code"
    lets_go
}
seen near -m 0
seen third -i 0,1,3
seen far -m 1
sed -n 's/^Node 1 MemTotal: *\([0-9]*\) kB/\1/p' /sys/devices/system/node/node1/meminfo >total

# watch NAME COMMAND...: starts top in the background; $watching is its number.
watch() {
    local name=$1
    shift
    # What holds ends when the last reader of its pipe does.
    "$@" >"$name.out" 2>"$name.err" 3<&- &
    watching=$!
}
# ticks NAME COUNT: waits for as many ticks more.
ticks() {
    local more=$(($(wc -l <"$1.out") + $2))
    until [ "$(wc -l <"$1.out")" -ge $more ]; do usleep 100000; done
}
# watched NAME: ends it.
watched() {
    kill -TERM $watching
    wait $watching
    echo $? >"$1.code"
}

# A migration, between ticks without.
holds moving 64M nearfar run -C 0 -p 0
watch moving $(top) -d 0.5
ticks moving 4
nearfar move $pid --from 0 --nodes 1 >/dev/null
# A slow machine samples less often.
for try in $(seq 60); do
    ticks moving 1
    ! grep -q '"moving":{' moving.out || break
done
watched moving
lets_go

# A control group with the CPUs of node 0 and memory of node 1, which vanishes.
echo '+memory +cpuset +pids' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
echo 0-1 >/sys/fs/cgroup/box/cpuset.cpus
holds boxed 64M sh -c 'echo $$ >/sys/fs/cgroup/box/cgroup.procs; exec nearfar run -m 1 "$@"' sh
watch groups nearfar top --cgroups -d 0.5 --json
until grep -q '"name":"/box"' groups.out; do usleep 100000; done
ticks groups 2
lets_go
until rmdir /sys/fs/cgroup/box; do usleep 100000; done
ticks groups 8
watched groups
