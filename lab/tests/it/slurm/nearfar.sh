#!/bin/sh
# nearfar on a node of the test's Slurm: a survey takes place in a guest that has the node's name
# and description. Every other command runs here.
[ "$1" = survey ] || exec "$NEARFAR_LAB_KIT/$(uname -m)/nearfar" "$@"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# QEMU's faults kill one guest of 20 (lab/tests/it/lab.rs gives the reason). Guests wait for each
# other.
for boot in 1 2 3; do
    "$NEARFAR_LAB" run "$MACHINES/$SLURMD_NODENAME.toml" --hostname "$SLURMD_NODENAME" -- \
        env SLURM_JOB_ID="$SLURM_JOB_ID" SLURMD_NODENAME="$SLURMD_NODENAME" nearfar "$@" 2>"$log"
    status=$?
    grep -q 'died before the command began\|Kernel panic' "$log" || break
done
cat "$log" >&2
exit $status
