# Sweeps reads of a USB disk with the interrupts of its controller near and far. Each section of the
# output begins with '== name'.
of() { for found in /sys/bus/pci/drivers/$1/0000:*; do basename $found; return; done; }
card=$(of vmxnet3) usb=$(of xhci_hcd) disk=$(of nvme)
usb_disk=
for second in $(seq 30); do
    for block in /sys/block/sd*; do
        case $(readlink -f $block) in */usb*) usb_disk=/dev/${block##*/} ;; esac
    done
    [ -z "$usb_disk" ] || break
    sleep 1
done
number=$(ls /sys/bus/pci/devices/$usb/msi_irqs | head -n 1)
list=/proc/irq/$number/smp_affinity_list

# nearfar's output and status.
swept() {
    echo "== $1"
    name=$1
    shift
    nearfar sweep --allow-system-changes --placement unbound --no-pages "$@" 2>&1
    status=$?
    echo "== $name-status"
    echo $status
}
reads="dd if=$usb_disk of=/dev/null bs=4096 count=64 iflag=direct"

echo "== before"; cat $list
swept unnamed --irq near,far -- true
swept managed --irq near,far --irq-device $disk -- true
swept dry --irq near,far --irq-device $usb_disk --dry-run -- $reads
echo "== after-dry"; cat $list
swept reads -o /tmp/reads.json --irq near,far --irq-device $usb_disk --runs 6 -- $reads
echo "== after-reads"; cat $list
echo "== document"; cat /tmp/reads.json
# Its driver has interrupts once it is up, and none then without packets.
ip link set $(ls /sys/bus/pci/devices/$card/net) up
sleep 2
swept idle --irq near,far --irq-device $card --runs 2 -- sleep 1
# Another process moves the interrupt in each run.
moved="echo 2 > $list; sleep 0.2; $reads"
swept elsewhere --irq far --irq-device $usb --runs 3 -- sh -c "$moved"
echo "== after-elsewhere"; cat $list

waits() {
    nearfar sweep --allow-system-changes --placement unbound --no-pages --irq far \
        --irq-device $usb --runs 3 -- sleep 1000 > /dev/null 2>&1 &
    sweep=$!
    for tenth in $(seq 300); do
        [ "$(cat $list)" != 0-1 ] || break
        sleep 0.1
    done
}
restored() {
    for tenth in $(seq 100); do
        [ "$(cat $list)" = 0-1 ] || break
        sleep 0.1
    done
    cat $list
}
waits
echo "== set"; cat $list
swept locked --irq near --irq-device $usb --runs 1 -- true
kill -9 $sweep
echo "== after-kill"; restored
sleep 1
waits
# The guard's command line ends with its only word.
for process in /proc/[0-9]*; do
    tr '\0' ' ' < $process/cmdline 2>/dev/null | grep -q 'nearfar guard $' &&
        guard=${process#/proc/}
done
kill -9 $guard $sweep
sleep 1
echo "== after-both"; cat $list
swept next --runs 1 -- true
echo "== after-next"; cat $list
echo "== notes"; ls /run/nearfar
