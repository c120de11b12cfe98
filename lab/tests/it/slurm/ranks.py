"""An MPI program: each rank prints what all ranks agree on, and where it runs."""

import os

from mpi4py import MPI

world = MPI.COMM_WORLD
total = world.allreduce(world.rank + 1)
with open("/proc/self/numa_maps") as maps:
    policy = next(line.split()[1] for line in maps if "heap" in line)
cpus = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)))
task = os.environ["SLURM_PROCID"]
print(f"rank {world.rank} of {world.size}, task {task}: sum {total}, {policy}, CPUs {cpus}")
