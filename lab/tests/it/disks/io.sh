# What disks cost from each node: a document for each. Each section of the output begins with
# '== name'.
echo "== queues"
for queue in 0 1 2 3; do cat /sys/block/vdb/mq/$queue/cpu_list; done
for disk in vda vdb nvme0n1 sda; do
    echo "== $disk"
    case $disk in
        vdb | sda) places="--irq near,far" ;;
        *) places= ;;
    esac
    nearfar io /dev/$disk --depth 1 --quick --budget 40s --seed 1 --force --no-samples \
        -o /tmp/$disk.json $places >/dev/null 2>&1
    cat /tmp/$disk.json
done
