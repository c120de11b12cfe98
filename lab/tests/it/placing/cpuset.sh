group=/sys/fs/cgroup/box
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group && echo 2-5 >$group/cpuset.cpus && echo 1-2 >$group/cpuset.mems
echo $$ >$group/cgroup.procs
for who in ours theirs; do
    eval "numactl=\$$who"
    place_of() {
        local name=$1
        shift
        tried "$name.$who" "$numactl" "$@" sh -c "$place"
    }
    place_of all -i all
    place_of all-a -a -i all
    place_of outside -m 0
    place_of outside-a -a -i 0-2
    place_of gone-a -a -m 0
    place_of same -N 1 -m same
    place_of but -N '!1' -m '!1'
    place_of relative -m +0 -C +0
    place_of relative-range -i +0-1
    place_of cpus -C 0
    place_of cpus-a -a -C 0,3
    place_of nodes -N 0
    place_of nodes-all -N all
    tried show.$who "$numactl" -s
    tried hardware.$who "$numactl" -H
done
held in-box 8M nearfar run -i all
held in-box-a 8M nearfar run -a -i all
