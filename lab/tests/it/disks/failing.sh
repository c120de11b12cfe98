# A disk whose reads fail in its second half, alone and beside one that works, whose interrupts can
# be set. Each section of the output begins with '== name'.
export DM_DISABLE_UDEV=1
mkdir -p /dev/mapper
printf '0 524288 linear /dev/nvme0n1 0\n524288 524288 error\n' | dmsetup create failing
measured() {
    echo "== $1"
    name=$1
    shift
    nearfar io --depth 1 --quick --seed 1 --force --no-samples -o /tmp/$name.json "$@" 2>&1
    status=$?
    echo "== $name-status"
    echo $status
}
measured alone --budget 20s /dev/mapper/failing
measured beside --budget 40s --irq near,far /dev/mapper/failing /dev/sda
echo "== document"
cat /tmp/beside.json
