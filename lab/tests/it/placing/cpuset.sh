group=/sys/fs/cgroup/box
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group && echo 2-5 >$group/cpuset.cpus && echo 1-2 >$group/cpuset.mems
echo $$ >$group/cgroup.procs
for who in ours theirs; do
    eval "numactl=\$$who"
    said() {
        local name=$1
        shift
        tried "$name.$who" "$numactl" "$@" sh -c 'sed -n s/_allowed_list.//p /proc/self/status; read -r start facts </proc/self/numa_maps; echo "${facts%% file=*}"'
    }
    said all -i all
    said all-a -a -i all
    said outside -m 0
    said outside-a -a -i 0-2
    said gone-a -a -m 0
    said same -N 1 -m same
    said but -N '!1' -m '!1'
    said relative -m +0 -C +0
    said relative-range -i +0-1
    said cpus -C 0
    said cpus-a -a -C 0,3
    said nodes -N 0
    said nodes-all -N all
    tried show.$who "$numactl" -s
    tried hardware.$who "$numactl" -H
done
held in-box 8M nearfar run -i all
held in-box-a 8M nearfar run -a -i all
