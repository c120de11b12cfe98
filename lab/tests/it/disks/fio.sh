# Medians of reads by the nodes of program and buffer, by nearfar and by fio in turn. Lines of
# program, node of the CPUs, node of the buffer, microseconds.
for round in 1 2 3 4 5; do
    nearfar io /dev/vdb --depth 1 --budget 16s --seed $round --csv 2>/dev/null |
        awk -F, '$1 == "row" { part++; next }
            part == 1 { sub("node ", "", $1); print "nearfar", $1, $4, $12 / 1000 }'
    for program in 0 1; do
        for buffer in 0 1; do
            us=$(fio --name=x --readonly --rw=randread --direct=1 --ioengine=io_uring --iodepth=1 \
                --bs=4k --time_based --runtime=3 --norandommap --filename=/dev/vdb \
                --numa_cpu_nodes=$program --numa_mem_policy=bind:$buffer --lat_percentiles=1 \
                --output-format=json 2>/dev/null | tr -d ' ,"\t' |
                awk -F: '/^lat_ns/ { own = 1 } own && /^50.000000/ { print $2 / 1000; exit }')
            echo "fio $program $buffer $us"
        done
    done
done
