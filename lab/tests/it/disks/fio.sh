# Medians of a read by the nodes of program and buffer, by nearfar and by fio in turn: lines of
# program, node of the CPUs, node of the buffer, microseconds.
cpus_0=0-1 cpus_1=2-3
for round in 1 2 3 4 5; do
    nearfar io /dev/vda --depth 1 --budget 16s --seed $round --force --csv 2>/dev/null |
        awk -F, '$1 == "row" { part++ }
            part == 1 && FNR > 1 && $11 == "" { split($1, p, " "); split($2, b, " ")
                print "nearfar", p[2], b[2], $13 / 1000 }'
    for cpu in 0 1; do
        for buffer in 0 1; do
            us=$(fio --name=x --readonly --rw=randread --direct=1 --ioengine=io_uring --iodepth=1 \
                --bs=4k --time_based --runtime=3 --norandommap --filename=/dev/vda \
                --numa_cpu_nodes=$cpu --numa_mem_policy=bind:$buffer --lat_percentiles=1 \
                --output-format=json 2>/dev/null | tr -d ' ,"' |
                awk -F: '/^lat_ns/ { own = 1 } own && /^50.000000/ { print $2 / 1000; exit }')
            echo "fio $cpu $buffer $us"
        done
    done
done
