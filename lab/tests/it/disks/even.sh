# What even disks cost from each node: disks and the time for each are the arguments. A document for
# each disk; each section of the output begins with '== name'.
budget=$1
shift
for disk; do
    case $disk in
        vd*) places="--irq near,far" ;;
        *) places= ;;
    esac
    echo "== $disk"
    nearfar io /dev/$disk --depth 1 --budget "$budget" --seed 1 --force --no-samples \
        -o /tmp/$disk.json $places >/dev/null 2>&1
    cat /tmp/$disk.json
done
