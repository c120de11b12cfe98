# Interrupts under Debian's irqbalance. Each section of the output begins with '== name'.
of() { for found in /sys/bus/pci/drivers/$1/0000:*; do basename $found; return; done; }
usb=$(of xhci_hcd) disk=$(of nvme)
first() { ls /sys/bus/pci/devices/$1/msi_irqs | head -n 1; }
allowed() { cat /proc/irq/$(first $1)/smp_affinity_list; }
# becomes DEVICE PATTERN: waits until the allowed CPUs of a device's first interrupt are these.
becomes() {
    for try in $(seq 300); do
        case $(allowed $1) in $2) return ;; esac
        usleep 200000
    done
    echo "$1 still has $(allowed $1)"
}
# watched TEXT: waits until the watch has a line.
watched() {
    for try in $(seq 300); do
        ! grep -q "$1" /tmp/watch || return
        usleep 200000
    done
    echo "no '$1'"
}
# watch: what the USB disk's controller shows while irqbalance places all interrupts anew.
watch() {
    rm -f /tmp/watch
    nearfar irq $usb --watch --for 1s >>/tmp/watch 2>&1 &
    watcher=$!
    watched 'counted for'
    kill -HUP $balancer
}
watch_ends() {
    kill -INT $watcher
    wait $watcher
    echo status $?
    cat /tmp/watch
}
balance() {
    irqbalance --foreground -t 1 "$@" >/dev/null 2>&1 &
    balancer=$!
}

# The administration queue of the disk is free; its first placement shows that irqbalance works.
balance --banirq=$(first $usb)
becomes $disk [01]
echo "== banned"; nearfar irq --for 0 --json
echo "== banned-set"; nearfar irq set $usb --cpus 0 --json
echo "== banned-watch"
watch
for block in 1 2 3; do : >/tmp/watch; watched 'counted for'; done
watch_ends
echo "== banned-state"; allowed $usb
kill $balancer
wait $balancer

balance
becomes $usb [23]
echo "== free"; nearfar irq --for 0 --json
echo "== free-set"; nearfar irq set $usb --cpus 0 --json
echo "== free-set-state"; allowed $usb
echo "== free-watch"
watch
becomes $usb [23]
watched 'changed within'
watch_ends
kill $balancer
wait $balancer
echo "== ended"; nearfar irq --for 0 --json
