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

# A job of four ranks, as srun starts them. Rank 2 runs on node 1, and has its memory on node 0.
for rank in 0 1 2 3; do
    mkfifo "/tmp/rank.$rank"
    case $rank in
        0) at='-C 0 -m 0' ;;
        1) at='-C 2 -m 1' ;;
        2) at='-C 3 -m 0' ;;
        3) at='-C 1 -m 0' ;;
    esac
    SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_PROCID=$rank nearfar run $at \
        dd if=/dev/zero "of=/tmp/rank.$rank" bs=24M count=1 2>/dev/null &
    eval "rank_$rank=$!"
done
exec 3</tmp/rank.0 4</tmp/rank.1 5</tmp/rank.2 6</tmp/rank.3
for descriptor in 3 4 5 6; do head -c 1 <&$descriptor >/dev/null; done
tried job nearfar where --job 77
tried job-fails nearfar where --job 77 --fail-if 'remote>5%' --fail-if unbound
tried job-json nearfar where --job 77 --fail-if threads-off-node --json
tried job-others nearfar where --job 78
tried job-moved nearfar move "$rank_2" --nodes 1
tried job-again nearfar where job:77 --fail-if 'remote>5%' --fail-if threads-off-node
exec 3<&- 4<&- 5<&- 6<&-
wait "$rank_0" "$rank_1" "$rank_2" "$rank_3"
