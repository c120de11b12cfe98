# What an operator types, in the folder of the test: docs/fleets/slurm.md.
sbatch --wait --nodes=4 --output=fleet.txt "$DOCS/fleet-slurm.sbatch" surveys >/dev/null
echo "job $?"
slow=$(nearfar fleet surveys --exclude)
echo "slow $slow"
srun --label --nodes=3 --exclude="$slow" printenv SLURMD_NODENAME | sort
scontrol update NodeName="$slow" State=DRAIN Reason='nearfar: slower memory'
# Nodes complete their jobs a moment later.
while sinfo -hN -o %T | grep -q 'allocated\|completing\|draining'; do sleep 0.2; done
sinfo -hN -o '%N %T'
