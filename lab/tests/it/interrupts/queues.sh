# A virtio network card of four queue pairs on node 1. Each section begins with '== name'.
folder=$(ls -d /sys/bus/virtio/drivers/virtio_net/virtio*)
card=$(basename $(dirname $(readlink -f $folder))) nic=$(ls $folder/net)
peer=10.0.9.1
ip link set $nic up
ip addr add 10.0.9.2/24 dev $nic
for try in $(seq 60); do ! ping -c 1 -W 1 $peer >/dev/null || break; done
# The other end learns the queue of each CPU.
for cpu in 0 1 2 3; do taskset -c $cpu ping -c 1 $peer >/dev/null; done

masks() {
    for mask in /sys/class/net/$nic/queues/*/?ps_cpus; do
        echo ${mask#*queues/} $(cat $mask)
    done
}
state() {
    for number in $(ls /sys/bus/pci/devices/$card/msi_irqs); do
        echo $number $(cat /proc/irq/$number/smp_affinity_list)
    done
    masks
}
counted() { nearfar irq $nic --for 0 --json; }
sends() { taskset -c $1 ping -c 50 -i 0.01 -q $peer | grep transmitted; }

echo "== state-first"; state
echo "== first"; counted
echo "== near"; nearfar irq set $nic --spread near --xps near --rps near --json
echo "== near-masks"; masks
sends 3 >/dev/null
echo "== near-before"; counted
echo "== near-sent"; sends 3
echo "== near-after"; counted
echo "== undone"; nearfar irq set $nic --undo >/dev/null; echo $?
echo "== state-undone"; state

# All queues on the far node, while packets come.
echo "== far"; nearfar irq set $nic --cpus 0 --json
sends 3 >/dev/null
taskset -c 3 ping -i 0.005 -q $peer >/dev/null &
echo "== far-rates"; nearfar irq $nic --for 3s --json
echo "== moved"; nearfar irq set $nic --near --json
usleep 300000
echo "== moved-rates"; nearfar irq $nic --for 3s --json
kill $!
nearfar irq set $nic --undo >/dev/null

# Killed when the note appears, before or between the writes.
echo "== killed"
before=$(state)
for round in 1 2 3; do
    nearfar irq set $nic --cpus 0 --xps off --rps all >/dev/null 2>&1 &
    while [ ! -e /run/nearfar/irq-$card.json ] && kill -0 $! 2>/dev/null; do :; done
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    nearfar irq set $nic --undo >/dev/null 2>&1
    [ "$(state)" = "$before" ] && echo $? restored || echo LOST
done
