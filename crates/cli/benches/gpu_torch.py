#!/usr/bin/env python3
"""nearfar's figures of a GPU beside PyTorch's, in one run.

    python3 crates/cli/benches/gpu_torch.py [--program nearfar] [--runs 6] [--budget 15s]

Each run measures copies between CPU memory and the first GPU by both programs, in random order, in
processes of their own: 256 MiB of pinned and of pageable memory, both directions. PyTorch's copies
are timed by events (pinned) or by the host's clock (pageable), as nearfar's are. Both rows are of
all CPUs and the node that the kernel prefers. Prints for each kind of copy both medians, nearfar's
over PyTorch's as the geometric mean of the runs with its 95 % interval, and each one's spread
(standard deviation of logarithms). Needs a GPU, PyTorch with CUDA, and no other user of the GPU.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys

SIZE = 256 << 20
# Of Student's t, for a 95 % interval of n values: T95[n].
T95 = {3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
KINDS = [(memory, way) for memory in ("pinned", "pageable") for way in ("to-device", "from-device")]

TORCH = """
import json, statistics, time, torch
size, copies = %d, 24
gpu = torch.empty(size, dtype=torch.uint8, device='cuda')
figures = {}
for memory in ('pinned', 'pageable'):
    host = torch.ones(size, dtype=torch.uint8, pin_memory=memory == 'pinned')
    for way in ('to-device', 'from-device'):
        to, source = (gpu, host) if way == 'to-device' else (host, gpu)
        rates = []
        for _ in range(copies):
            torch.cuda.synchronize()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            clock = time.perf_counter()
            begin.record()
            to.copy_(source, non_blocking=memory == 'pinned')
            end.record()
            torch.cuda.synchronize()
            seconds = time.perf_counter() - clock
            if memory == 'pinned':
                seconds = begin.elapsed_time(end) / 1e3
            rates.append(size / seconds)
        figures[memory + ' ' + way] = statistics.median(rates[2:])
print(json.dumps(figures))
""" % SIZE


def torch_rates():
    """Bytes per second of each kind of copy, as PyTorch has them."""
    done = subprocess.run([sys.executable, "-c", TORCH], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def nearfar_rates(program, budget):
    """Bytes per second of each kind of copy, in the first row and column of nearfar's table."""
    command = [program, "gpu", "GPU0", "--rows", "node", "--no-peers", "--budget", budget]
    command += ["-o", "-"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    cells = json.loads(done.stdout)["gpu"]["bandwidth"]["cells"]
    figures = {}
    for cell in cells:
        local = cell["row"] == 0 and cell["column"] == 0 and cell["control"] is None
        if local and cell["size_bytes"] == SIZE and cell["median"]:
            figures[f"{cell['memory']} {cell['direction']}"] = cell["median"]
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="nearfar")
    parser.add_argument("--runs", type=int, default=6, choices=sorted(T95))
    parser.add_argument("--budget", default="15s")
    arguments = parser.parse_args()
    ours, theirs = [], []
    for _ in range(arguments.runs):
        turns = [
            lambda: ours.append(nearfar_rates(arguments.program, arguments.budget)),
            lambda: theirs.append(torch_rates()),
        ]
        random.shuffle(turns)
        for turn in turns:
            turn()
    print("copy of 256 MiB          nearfar    PyTorch    nearfar / PyTorch (95 %)     spreads")
    for memory, way in KINDS:
        kind = f"{memory} {way}"
        pairs = [(our[kind], their[kind]) for our, their in zip(ours, theirs) if kind in our]
        if len(pairs) < 3:
            print(f"{kind:22} no figure of nearfar in {len(ours) - len(pairs)} runs")
            continue
        logs = [math.log(our / their) for our, their in pairs]
        mean = statistics.mean(logs)
        half = T95[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
        median = [statistics.median(side) / 1e9 for side in zip(*pairs)]
        spread = [100 * statistics.stdev(map(math.log, side)) for side in zip(*pairs)]
        interval = f"{math.exp(mean - half):.4f} to {math.exp(mean + half):.4f}"
        print(
            f"{kind:22} {median[0]:6.2f} GB/s {median[1]:6.2f} GB/s"
            f"   {math.exp(mean):.4f} ({interval})   {spread[0]:.2f} % {spread[1]:.2f} %"
        )


if __name__ == "__main__":
    main()
