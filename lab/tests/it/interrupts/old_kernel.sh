# Linux 6.1 does not show which interrupts it manages. Each section begins with '== name'.
of() { for found in /sys/bus/pci/drivers/$1/0000:*; do basename $found; return; done; }
card=$(of e1000e) disk=$(of nvme)
ip link set eth0 up
state() {
    for number in $(ls /sys/bus/pci/devices/$1/msi_irqs); do
        list=/proc/irq/$number/smp_affinity_list
        [ ! -e $list ] || echo $number $(cat $list)
    done
}
set_irq() {
    echo "== $1"
    name=$1
    shift
    nearfar irq set "$@" 2>&1
    status=$?
    echo "== $name-status"
    echo $status
}
echo "== shown"; nearfar irq --for 0 --json
echo "== shown-text"; nearfar irq $disk --for 0
echo "== disk-before"; state $disk
set_irq disk-refused $disk --cpus 0
echo "== disk-after"; state $disk
echo "== notes"; ls /run/nearfar
echo "== card-before"; state $card
set_irq card-set $card --cpus 2-3
echo "== card-set-state"; state $card
set_irq card-undo $card --undo
echo "== card-after"; state $card
