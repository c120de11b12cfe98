file=/dev/shm/file
# An ordinary program fills a file of 8 MiB: its pages follow the policy that stays with the file.
filled() {
    local name=$1 cpu=$2
    shmem >"$name.before"
    taskset "$cpu" dd if=/dev/zero of=$file bs=1M count=8 conv=notrunc 2>/dev/null
    shmem >"$name.after"
    rm $file
}
# shaped NAME OPTION...: a new file with a policy, and what --dump reports of it without a length.
shaped() {
    local name=$1
    shift
    tried "$name" nearfar run --length 8M --file $file "$@"
    tried "$name.dump" nearfar run --file $file --dump
    tried "$name.theirs" $theirs --length 8M --file $file --dump
    stat -c %s $file >"$name.size"
}
shaped bind -m 3
filled bind 1
shaped preferred -p 2
filled preferred 1
shaped interleave -i 0,1,3
filled interleave 1
nearfar run --weights 0=3,1=1
shaped weighted -w 0,1
filled weighted 1
shaped many -P 1,2
filled many-from-1 4
shaped many -P 1,2
filled many-from-2 10
shaped local -l
filled local 4

# Half of it, touched.
shmem >half.before
tried half nearfar run --offset 4M --length 4M --file $file -m 1 --touch
shmem >half.after
tried half.dump nearfar run --file $file --dump --dump-nodes
stat -c %s $file >half.size
tried verified nearfar run --offset 4M --length 4M --file $file -m 1 --verify
# Pages are on node 1 already: --verify reports a request for another node, --strict refuses it.
tried contradicted nearfar run --offset 4M --length 4M --file $file -m 2 --verify
tried strict nearfar run --strict --offset 4M --length 4M --file $file -m 2
tried strict.theirs $theirs --strict --offset 4M --length 4M --file $file -m 2
rm $file

# System V segments.
touch /tmp/key /tmp/other
shmem >segment.before
tried segment nearfar run --length 8M --shmmode 0640 --shm /tmp/key -i 1,3 --touch
shmem >segment.after
cat /proc/sysvipc/shm >segments
id=$(awk '$4 == 8388608 { print $2 }' /proc/sysvipc/shm)
tried by-id nearfar run --shmid "$id" --dump
tried by-key nearfar run --length 8M --shm /tmp/key --dump
tried by-key.theirs $theirs --length 8M --shm /tmp/key --dump
tried by-key.nodes nearfar run --length 8M --shm /tmp/key --dump-nodes
tried by-key.verify nearfar run --length 8M --shm /tmp/key -i 1,3 --verify

# Huge pages.
echo 8 >/proc/sys/vm/nr_hugepages
mkdir /tmp/huge && mount -t hugetlbfs none /tmp/huge
huge() { cat /sys/devices/system/node/node[0-3]/hugepages/hugepages-2048kB/free_hugepages; }
huge >huge.before
tried huge nearfar run --length 4M --file /tmp/huge/file -m 1 --touch
huge >huge.after
tried huge-segment nearfar run --huge --length 4M --shm /tmp/other -m 0 --touch
huge >huge-segment.after

# What has no policies, and offsets between pages.
echo text >/out/text
tried disk nearfar run --length 4K --file /proc/version -m 1
tried between nearfar run --offset 100 --length 8M --file $file -m 1
