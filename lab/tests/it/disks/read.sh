# Disks, their interrupts, and the times of reads by the node of the buffer: words of a line each.
for disk in /sys/block/*; do
    name=${disk##*/} path=$(realpath "$disk")
    case $name in
        vd* | nvme*n1 | sd*) ;;
        *) continue ;;
    esac
    address=$(echo "$path" | grep -o '0000:..:..[.]0' | tail -n 1)
    echo "disk $address $name $(dd if=/dev/$name bs=4096 skip=3 count=1 iflag=direct 2>/dev/null |
        od -An -tx8 | head -n 1 | tr -d ' ')"
    for irq in "/sys/bus/pci/devices/$address"/msi_irqs/*; do
        irq=/proc/irq/${irq##*/}
        # Of a vector that nothing uses there is no action, and so no folder.
        handler=$(ls -d "$irq"/*/ 2>/dev/null | head -n 1)
        handler=${handler%/}
        mode=$(stat -c %a "$irq/smp_affinity_list")
        [ -z "$handler" ] || echo "irq $address ${handler##*/} $mode"
    done
done
# Times of a round are beside each other: what disturbs one disturbs the others.
for round in 1 2 3 4 5; do
    for name in vda vdb nvme0n1 sda; do
        for node in 0 1; do
            set -- $(nearfar run -N 1 -m $node timed-read /dev/$name 30)
            echo "time $name $node 4096 $2"
        done
    done
    set -- $(nearfar run -N 1 -m 1 timed-read /dev/vda 30 131072)
    echo "time vda 1 131072 $2"
done
