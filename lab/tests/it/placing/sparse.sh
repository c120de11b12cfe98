for who in ours theirs; do
    eval "numactl=\$$who"
    said() {
        local name=$1
        shift
        tried "$name.$who" "$numactl" "$@" sh -c 'sed -n s/_allowed_list.//p /proc/self/status; read -r start facts </proc/self/numa_maps; echo "${facts%% file=*}"'
    }
    tried hardware.$who "$numactl" -H
    tried show.$who "$numactl" -s
    said one -m 2
    said far -m 5
    said all -i all
    said range -i 0-2
    said to-the-end -i 0-5
    said but -m '!0'
    said but-middle -m '!2'
    said but-cpus -N '!0'
    said relative -m +1
    said relative-last -m +2
    said hole -m 1
    said cpu-nodes -N 2
    said no-cpus -N 5
    said nodes-all -N all
    said same -N 2 -p same
done
held interleave 4M nearfar run -i 2,5
held preferred 4M nearfar run -N 0 -p 5
