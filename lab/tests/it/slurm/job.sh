# A job of four ranks that srun starts. Rank 2 is bound to the wrong node: asked for from outside
# and by a step of the job.
cat >rank.sh <<'RANK'
cpu=0
[ "$SLURM_PROCID" != "$(cat wrong)" ] || cpu=1
exec taskset -c "$cpu" python3 -c "
import time
memory = bytearray(24 << 20)
open('up.$SLURM_PROCID', 'w').close()
time.sleep(1000)"
RANK
# started WRONG: starts the ranks, and waits for their memory. The job is $id.
started() {
    rm -f up.*
    echo "$1" >wrong
    srun --nodes=1 --ntasks=4 --overcommit sh rank.sh &
    until [ -e up.0 ] && [ -e up.1 ] && [ -e up.2 ] && [ -e up.3 ]; do sleep 0.2; done
    id=$(squeue -h -o %i)
}
ended() { scancel "$id"; wait || true; }

started 2
nearfar where --job "$id" >shown.txt
nearfar where --job "$id" --fail-if 'remote>5%' >/dev/null 2>outside.txt
echo "outside: status $?"
srun --jobid="$id" --overlap --nodes=1 --ntasks=1 \
    nearfar where --job "$id" --fail-if 'remote>5%' --fail-if unbound >/dev/null 2>step.txt
echo "step: status $?"
ended
started none
nearfar where --job "$id" --fail-if 'remote>5%' --fail-if threads-off-node >/dev/null
echo "all right: status $?"
ended
