for who in ours theirs; do
    eval "numactl=\$$who"
    place_of() {
        local name=$1
        shift
        tried "$name.$who" "$numactl" "$@" sh -c "$place"
    }
    tried hardware.$who "$numactl" -H
    tried show.$who "$numactl" -s
    place_of one -m 2
    place_of far -m 5
    place_of all -i all
    place_of range -i 0-2
    place_of to-the-end -i 0-5
    place_of but -m '!0'
    place_of but-middle -m '!2'
    place_of but-cpus -N '!0'
    place_of relative -m +1
    place_of relative-last -m +2
    place_of hole -m 1
    place_of cpu-nodes -N 2
    place_of no-cpus -N 5
    place_of nodes-all -N all
    place_of same -N 2 -p same
done
held interleave 4M nearfar run -i 2,5
held preferred 4M nearfar run -N 0 -p 5
