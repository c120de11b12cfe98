# pages NAME: where the pages of $pid are.
pages() { cat "/proc/$pid/numa_maps" >"$1.maps"; }
holds migrate 16M nearfar run -m 0
tried migrate nearfar move $pid --from 0 --nodes 3
pages migrate.after
tried where nearfar where $pid --json
tried where-text nearfar where $pid
pages where
tried migratepages /tmp/ours/migratepages $pid 3 1
pages migratepages
tried move nearfar move $pid --cpus 2-3 --nodes 0
pages move
cat /proc/$pid/status >move.status
lets_go
tried gone /tmp/ours/migratepages $pid 0 1

# Node 2 is too small for it.
holds stays 150M nearfar run -m 0
tried stays.theirs /bin/migratepages $pid 0 2
pages stays.theirs
tried stays-back /tmp/ours/migratepages $pid 2 0
tried stays.ours /tmp/ours/migratepages $pid 0 2
pages stays.ours
tried stays-again nearfar move --json $pid --from 0 --nodes 2
pages stays-again
tried stays-moved nearfar move $pid --nodes 2
pages stays-moved
lets_go

# All of a group.
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/box
holds group 8M nearfar run -C 0 -p 0
echo $pid >/sys/fs/cgroup/box/cgroup.procs
tried group-moved nearfar move /sys/fs/cgroup/box --cpus 2-3 --nodes 3
pages group-moved
cat /sys/fs/cgroup/box/cpuset.cpus /sys/fs/cgroup/box/cpuset.mems >group-limits
cat /proc/$pid/status >group-now.status
lets_go

# A file's cached pages. /tmp is in memory, so the kernel counts them as shared memory.
# file_step NAME COMMAND...: what the kernel counts on each node before and after a command.
file_step() {
    shmem >"$1.before"
    tried "$@"
    shmem >"$1.after"
}
file_step file-filled nearfar run -N 0 -m 0 dd if=/dev/zero of=/tmp/weights bs=1M count=16
tried file-where nearfar where /tmp/weights --json
file_step file-moved nearfar move /tmp/weights --nodes 3
tried file-after nearfar where /tmp/weights --json
file_step file-warm nearfar run --warm /tmp/weights -m 1 true
file_step file-again nearfar run --warm /tmp/weights -m 1 true
rm /tmp/weights
