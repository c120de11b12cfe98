#!/bin/sh
# nearfar on a node of the test's Slurm: a survey takes place in a guest that has the node's name
# and description. Every other command runs here.
[ "$1" = survey ] || exec "$NEARFAR_LAB_KIT/$(uname -m)/nearfar" "$@"
# The last argument is the file, which the guest does not see.
for file; do :; done
time=$(date -u +%Y%m%dT%H%M%SZ)
file=$(printf %s "$file" | sed "s/{host}/$SLURMD_NODENAME/; s/{time}/$time/")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# QEMU's faults kill one guest of 20 (lab/tests/it/lab.rs gives the reason). Guests wait for each
# other.
for boot in 1 2 3; do
    "$NEARFAR_LAB" run "$MACHINES/$SLURMD_NODENAME.toml" --hostname "$SLURMD_NODENAME" -- \
        env SLURM_JOB_ID="$SLURM_JOB_ID" SLURMD_NODENAME="$SLURMD_NODENAME" \
        nearfar survey --quick --no-samples -o - 2>"$log" >"$file"
    status=$?
    grep -q 'died before the command began\|Kernel panic' "$log" || break
done
cat "$log" >&2
exit $status
