# What disks cost from each node: a document for each. Each section of the output begins with
# '== name'.
for disk in vda nvme0n1 sda; do
    echo "== $disk"
    [ $disk != sda ] || places="--irq near,far"
    nearfar io /dev/$disk --depth 1 --quick --budget 60s --seed 1 --force --no-samples --json \
        $places
done
