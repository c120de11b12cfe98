#!/bin/sh
# make.sh CORPUS: draws the machines of machines.toml with lstopo (hwloc 2.9, Debian's hwloc) into
# this folder. CORPUS has hwloc's captures: sysfs/hwloc and hwloc-xml.
set -eu
corpus=$(cd "$1" && pwd)
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# lstopo 2.9 refuses XML of version 3, whose types of devices are bits.
as_version_2() {
    sed -e 's/<topology version="3.0"/<topology version="2.0"/' \
        -e 's/osdev_type="[123]"/osdev_type="0"/;t' \
        -e 's/osdev_type="\(4\|12\)"/osdev_type="1"/;t' \
        -e 's/osdev_type="8"/osdev_type="5"/;t' -e 's/osdev_type="16"/osdev_type="2"/;t' \
        -e 's/osdev_type="\(32\|48\)"/osdev_type="3"/;t' \
        -e 's/osdev_type="64"/osdev_type="4"/;t' "$1"
}

# mask LIST: the mask of a list of CPUs below 62.
mask() {
    bits=0
    for range in $(echo "$1" | tr , ' '); do
        cpu=${range%-*}
        while [ "$cpu" -le "${range#*-}" ]; do
            bits=$((bits | 1 << cpu)) cpu=$((cpu + 1))
        done
    done
    printf '%x\n' $bits
}

# lstopo reads masks; nearfar's captures keep the lists beside them.
put_masks() {
    for list in "$1"/sys/devices/system/cpu/cpu*/topology/*_cpus_list \
        "$1"/sys/devices/system/node/node*/cpulist; do
        [ -e "$list" ] || continue
        case $list in
            */cpulist) file=${list%list}map ;;
            *) file=${list%_list} ;;
        esac
        [ ! -d "$file" ] || rmdir "$file"
        mask "$(cat "$list")" >"$file"
    done
}

# draw NAME OPTIONS...: the day of drawing is no fact of the machine.
draw() {
    name=$1
    shift
    lstopo "$@" --of svg -f "$work/drawn.svg" >/dev/null 2>&1
    sed '/^\t<text id=.*>Date: /d' "$work/drawn.svg" >"$name.svg"
}

sed -n 's/^file = "\(.*\)"$/\1/p' machines.toml | while read -r file; do
    name=$(basename "$file")
    name=${name%.xml} name=${name%.tar.*}
    case $file in
        *.xml)
            as_version_2 "$corpus/$file" >"$work/machine.xml"
            draw "$name" -i "$work/machine.xml" --if xml
            ;;
        *)
            case $file in
                captures/*) archive=../../$file ;;
                *) archive=$corpus/$file ;;
            esac
            mkdir "$work/$name"
            tar -xf "$archive" -C "$work/$name"
            root=$(echo "$work/$name"/*)
            case $file in captures/*) put_masks "$root" ;; esac
            HWLOC_FSROOT=$root HWLOC_COMPONENTS=linux,stop HWLOC_THISSYSTEM=0
            export HWLOC_FSROOT HWLOC_COMPONENTS HWLOC_THISSYSTEM
            draw "$name"
            unset HWLOC_FSROOT HWLOC_COMPONENTS HWLOC_THISSYSTEM
            ;;
    esac
    echo "$name.svg"
done
