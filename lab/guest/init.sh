#!/bin/busybox sh
# PID 1 of a guest: makes a small ordinary Linux, runs the command, and sends its output and
# files to the launcher.
#
# The launcher put these beside it:
#   /lab/settings   hostname, end (the words that close each stream), term, devices (whose
#                   registers are charged)
#   /lab/command    the command's words, quoted; absent: a shell on the console
#   /lab/modules/   kernel modules, numbered in the order in which they load
#
# Everything leaves by ports of virtio-serial, which carry bytes and no terminal's manners. Each
# stream is closed by words that only the launcher knows. When it has them all it ends the emulator:
# nothing here powers off with bytes under way.

export PATH=/bin:/sbin:/usr/bin HOME=/root
/bin/busybox --install -s /bin 2>/dev/null

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs out /out
mount -t cgroup2 cgroup /sys/fs/cgroup
ln -s /proc/self/fd /dev/fd
ln -s fd/0 /dev/stdin
ln -s fd/1 /dev/stdout
ln -s fd/2 /dev/stderr

. /lab/settings
rm /lab/settings
hostname "$hostname"
ifconfig lo up
for module in /lab/modules/*.ko; do
    [ ! -e "$module" ] || insmod "$module"
done
cd /root

if [ ! -e /lab/command ]; then
    export TERM="$term" PS1='\h:\w# '
    setsid cttyhack sh
    poweroff -f
fi

# port NAME: the device of a port. It appears some time after its driver.
port() {
    for try in $(seq 200); do
        for dir in /sys/class/virtio-ports/*; do
            [ "$(cat "$dir/name" 2>/dev/null)" = "$1" ] && echo "/dev/${dir##*/}" && return
        done
        usleep 50000
    done
    echo "the lab's port '$1' did not appear" >/dev/console
    poweroff -f
}

exec 5>"$(port status)"
# A port can be opened once only. Programs that open /dev/stdout get a pipe, as everywhere.
for stream in stdout stderr; do
    mkfifo "/lab/$stream"
    cat "/lab/$stream" >"$(port $stream)" 5>&- &
done
exec 3>/lab/stdout 4>/lab/stderr

# The emulator charges for registers of devices: it learns where drivers have mapped them, and gets
# a moment for it.
if [ -n "$devices" ]; then
    for device in $devices; do
        device=/sys/bus/pci/devices/$device
        for try in $(seq 100); do
            [ ! -e "$device/msi_irqs" ] || break
            usleep 50000
        done
        sed -n "/^0x0* /!s|^\\(0x[^ ]*\\) \\(0x[^ ]*\\) .*|bar ${device##*/} \\1 \\2|p" \
            "$device/resource"
    done >&5
    sed -n 's/^\(0x[^ -]*\)-\(0x[^ ]*\) .* phys=\(0x[^ ]*\) .*ioremap.*/mapped \1 \2 \3/p' \
        /proc/vmallocinfo >&5
    echo all-mapped >&5
    usleep 300000
fi

eval "set -- $(cat /lab/command)"
case $1 in
    */*) file=$1 ;;
    *) file=$(which "$1") ;;
esac
if [ ! -e "$file" ]; then
    echo missing >&5
elif [ -d "$file" ] || [ ! -x "$file" ]; then
    echo unusable >&5
else
    echo began >&5
    setsid env -i PATH="$PATH" HOME="$HOME" "$@" </dev/null >&3 2>&4 3>&- 4>&- 5>&-
    echo "status $?" >&5
fi

printf %s "$end" >&3
printf %s "$end" >&4
{
    tar -C /out -cf - .
    echo "packed $?" >&5
    printf %s "$end"
} >"$(port out)"
printf %s "$end" >&5
while :; do sleep 3600; done
