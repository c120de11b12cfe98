#!/bin/sh
# two-nodes.sh COMMAND...: runs it where the kernel seems to have two nodes: node 0 has CPU 0 and
# all memory, node 1 has CPU 1. For hosts of one node, as root: it is in their own mounts.
set -eu
[ "${made:-}" ] || exec env made=yes unshare --mount "$0" "$@"
unset made
nodes=/sys/devices/system/node
mount --make-rprivate /
mount -t tmpfs none "$nodes"
for list in online possible has_cpu has_memory has_normal_memory; do echo 0-1 >"$nodes/$list"; done
for node in 0 1; do
    mkdir "$nodes/node$node"
    echo "$node" >"$nodes/node$node/cpulist"
    echo "$((node + 1))" >"$nodes/node$node/cpumap"
    echo "Node $node MemTotal: 1048576 kB
Node $node MemFree: 524288 kB" >"$nodes/node$node/meminfo"
done
echo 10 21 >"$nodes/node0/distance"
echo 21 10 >"$nodes/node1/distance"
exec "$@"
