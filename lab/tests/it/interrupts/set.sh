# Sets interrupts of a card, a USB disk, a disk with managed interrupts and queues of another card.
# Each section of the output begins with '== name'.
of() { for found in /sys/bus/pci/drivers/$1/0000:*; do basename $found; return; done; }
card=$(of e1000e) usb=$(of xhci_hcd) disk=$(of nvme) queues=$(of vmxnet3)
# The USB disk appears seconds after the boot.
usb_disk=
for second in $(seq 30); do
    for block in /sys/block/sd*; do
        case $(readlink -f $block) in */usb*) usb_disk=/dev/${block##*/} ;; esac
    done
    [ -z "$usb_disk" ] || break
    sleep 1
done
ip link set eth1 up
ip link set eth2 up
sleep 2

state() {
    for number in $(ls /sys/bus/pci/devices/$1/msi_irqs); do
        list=/proc/irq/$number/smp_affinity_list
        [ ! -e $list ] || echo $number $(cat $list)
    done
}
effective() {
    for number in $(ls /sys/bus/pci/devices/$1/msi_irqs); do
        list=/proc/irq/$number/effective_affinity_list
        [ ! -e $list ] || echo $number $(cat $list)
    done
}
# The counts of the first interrupt of a device, by CPU.
counts() {
    number=$(ls /sys/bus/pci/devices/$1/msi_irqs | head -n 1)
    grep "^ *$number:" /proc/interrupts
}
# nearfar's output and status.
set_irq() {
    echo "== $1"
    name=$1
    shift
    nearfar irq set "$@" 2>&1
    status=$?
    echo "== $name-status"
    echo $status
}
# Reads that no cache answers.
reads() { dd if=$usb_disk of=/dev/null bs=4096 count=64 skip=$1 iflag=direct 2>/dev/null; }

echo "== card-before"; state $card
set_irq card-dry $card --cpus 2-3 --dry-run
echo "== card-after-dry"; state $card
set_irq card-far $card --cpus 2-3 --json
echo "== card-far-state"; state $card
# Interrupts arrive: the link changes.
ip link set eth1 down; ip link set eth1 up; sleep 2
set_irq card-again $card --cpus 2-3 --json
echo "== card-far-effective"; effective $card
set_irq card-near $card --near
echo "== card-near-state"; state $card
set_irq card-offline $card --cpus 7
set_irq card-undo $card --undo
echo "== card-after-undo"; state $card
set_irq card-undo-again $card --undo
echo "== notes"; ls /run/nearfar

set_irq usb-far $usb --cpus 0
reads 0
echo "== usb-far-counts"; counts $usb
reads 64
echo "== usb-far-more"; counts $usb
set_irq usb-near $usb --spread near
reads 128
echo "== usb-near-counts"; counts $usb
reads 192
echo "== usb-near-more"; counts $usb
set_irq usb-undo $usb --undo

echo "== disk-before"; state $disk
set_irq disk-refused $disk --cpus 0
set_irq disk-lasting $disk --cpus 0 --as systemd
echo "== disk-after"; state $disk
set_irq disk-skipped $disk --cpus 0 --skip-managed
set_irq disk-undo $disk --undo

masks() { for queue in /sys/class/net/eth2/queues/*/?ps_cpus; do echo $queue $(cat $queue); done; }
echo "== masks-before"; masks
set_irq queues $queues --xps near --rps near
echo "== masks-set"; masks
set_irq queues-undo $queues --undo
echo "== masks-after"; masks
set_irq one-queue eth1 --near --xps near
echo "== one-queue-state"; state $card

# Killed when the note appears, before or between the writes: undo restores.
echo "== killed"
before=$(state $queues)
for round in 1 2 3 4 5 6; do
    nearfar irq set $queues --cpus 0 > /dev/null 2>&1 &
    while [ ! -e /run/nearfar/irq-$queues.json ] && kill -0 $! 2>/dev/null; do :; done
    kill -9 $! 2>/dev/null && word=killed || word=ended
    wait $! 2>/dev/null
    changed=$(state $queues | grep -c ' 0$')
    nearfar irq set $queues --undo > /dev/null 2>&1
    status=$?
    [ "$(state $queues)" = "$before" ] && echo $word $changed $status restored ||
        echo $word $changed $status LOST
done
echo "== notes-after"; ls /run/nearfar
