# Programs, their truth, and their responses. Set: CPU, OTHER (a CPU of the same node, or the same),
# NEAR and FAR (nodes).
cd /out || exit 1
# A program of 4 MiB has few huge pages: its doses would be two or three.
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/kernel/numa_balancing

mkdir -p /dev/shm
mount -t tmpfs tmpfs /dev/shm

# What all processes of the program did so far.
cat >/tmp/total <<'END'
sum=0
for file in /tmp/steps*; do
    read -r one <"$file" && sum=$((sum + one))
done
echo $sum
END
total() { sh /tmp/total 2>/dev/null || echo 0; }

# starts PROGRAM HOT [COLD]: on CPU, with its memory on these nodes. Its arrays are on the near one.
# AS is what it is started by; its arrays are files in SHM.
AS=
SHM=/dev/shm
starts() {
    rm -f /tmp/steps* /dev/shm/*
    pids=
    case $1 in
        loop | drift) $AS chase "$1" /tmp/steps "n$2" "n${3:-$2}" "$CPU" 24 & ;;
        uniform) $AS chase loop /tmp/steps "n$2" "n$2" "$CPU" 0 & ;;
        calm | stream) $AS chase "$1" /tmp/steps "n$2" "$CPU" 16 & ;;
        ring)
            nearfar run -m "$2" dd if=/dev/zero of=/dev/shm/ring bs=1M count=4 2>/dev/null
            $AS chase ring /tmp/steps-1 /dev/shm/ring "$CPU" &
            pids=$!
            $AS chase ring /tmp/steps-2 /dev/shm/ring "$OTHER" &
            ;;
        file)
            nearfar run -m "$2" dd if=/dev/zero of=/tmp/model bs=1M count=4 2>/dev/null
            for process in 1 2; do
                $AS chase ring /tmp/steps-$process /tmp/model "$CPU" &
                pids="$pids $!"
            done
            $AS chase ring /tmp/steps-3 /tmp/model "$OTHER" &
            ;;
        arrays) $AS chase arrays /tmp/steps "$CPU" "$SHM" 10,5,2,1,0 & ;;
    esac
    pids="$pids $!"
    until [ "$(total)" -gt 100000 ]; do usleep 100000; done
}
ends() {
    kill $pids
    wait $pids
}

# turn FILE PROGRAM NODE: its steps so far and the seconds since boot, at the beginning and the end.
turn() {
    starts "$2" "$3"
    first=$(total) began=$(cut -d' ' -f1 /proc/uptime)
    sleep 5
    last=$(total) ended=$(cut -d' ' -f1 /proc/uptime)
    ends
    echo "$first $last $began $ended" >>"$1"
}
# truth PROGRAM: a turn with its memory near, and one with it far.
truth() {
    for node in "$NEAR" "$FAR"; do turn "$1-$node.rates" "$1" "$node"; done
}
# respond NAME ARGS: the response, by steps a second.
respond() {
    name=$1
    shift
    nearfar explain name:chase --response --metric 'sh /tmp/total' --rate --seed 1 --to "$FAR" \
        "$@" -o "$name.json" >"$name.txt" 2>"$name.err"
}
