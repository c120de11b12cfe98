# Which of a program's arrays matter, and the one that does moved.
cd /out || exit 1
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/kernel/numa_balancing
mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm
nearfar survey --quick >survey.txt 2>survey.err

# starts CPU RATES: a program on node 0 whose arrays are near this CPU.
starts() {
    rm -f /tmp/steps
    chase arrays /tmp/steps "$1" /dev/shm "$2" &
    pid=$!
    until [ "$(cat /tmp/steps 2>/dev/null || echo 0)" -gt 100000 ]; do usleep 100000; done
}
# measure NAME ARGS: what its objects cost, by its steps a second.
measure() {
    name=$1
    shift
    nearfar explain $pid --objects --metric 'cat /tmp/steps' --rate --seed 1 --max-cost 20% "$@" \
        -o "$name.json" >"$name.txt" 2>"$name.err"
}

# Five arrays near: each has its rate's share of the cost.
starts 0 10,5,2,1,0
measure arrays --blocks 4 --period 1s
# The first one is far: moved alone, tried alone.
nearfar move $pid --object /dev/shm/array-0 --nodes 1 --json >far.json 2>far.err
measure moved --blocks 3 --period 1s --range 1M
nearfar explain $pid --try --object /dev/shm/array-0 --to 0 --metric 'cat /tmp/steps' --rate \
    --blocks 6 --period 1s --seed 1 --json >try.json 2>try.err
nearfar move $pid --object /dev/shm/array-0 --nodes 0 >near.txt 2>near.err
grep array- /proc/$pid/numa_maps >maps
kill $pid
wait $pid

# Nothing matters to a program that waits for no memory.
rm -f /tmp/steps
chase calm /tmp/steps 0 0 16 &
pid=$!
until [ "$(cat /tmp/steps 2>/dev/null || echo 0)" -gt 200000 ]; do usleep 100000; done
measure calm --blocks 3 --period 1s
kill $pid
wait $pid

# A thread that waits for memory beside one that computes.
rm -f /tmp/steps
chase loop /tmp/steps n0 n0 0 0 &
pids=$!
chase calm /tmp/calm 0 1 16 &
pids="$pids $!"
for file in /tmp/steps /tmp/calm; do
    until [ "$(cat $file 2>/dev/null || echo 0)" -gt 100000 ]; do usleep 100000; done
done
for pid in $pids; do grep Cpus_allowed_list "/proc/$pid/status"; done >allowed-before
nearfar explain name:chase --threads --metric 'cat /tmp/steps' --rate --seed 1 --blocks 6 \
    --period 1s -o threads.json >threads.txt 2>threads.err
for pid in $pids; do grep Cpus_allowed_list "/proc/$pid/status"; done >allowed-after
kill $pids
wait $pids
touch whole
