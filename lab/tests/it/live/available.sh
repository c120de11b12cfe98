# How much memory of node 1 bound programs get, beside page cache: the kernel gives the cache back,
# and kills what wants more.
# The kernel drops the cache of a disk that nothing has open.
exec 4</dev/vda
taskset 4 dd if=/dev/vda of=/dev/null bs=1M count=160 2>/dev/null
cat /sys/devices/system/node/node1/meminfo >meminfo
tried topology nearfar topology --json
tried top nearfar top --once --json
available=$(grep -o '"available_bytes":[0-9]*' topology.out | sed -n '2s/.*://p')
for percent in 50 90 110; do
    tried "got-$percent" nearfar run -N 1 -m 1 \
        dd if=/dev/zero of=/dev/null bs=$((available / 100 * percent)) count=1
done
# The kernel's report of what it killed is what users have.
dmesg >log
tried diagnose nearfar diagnose --log log
