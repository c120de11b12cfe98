"""Kept documents of nearfar in Python: run it in docs/, or paste its cells into a notebook.

    pip install nearfar           # pandas and matplotlib are optional
    python3 docs/libraries/notebook.py docs/gallery/documents
"""

# %% Load surveys
import sys
from pathlib import Path

import nearfar

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "gallery/documents")
before = nearfar.load(folder / "lab-xeon-2s-before.json")
after = nearfar.load(folder / "lab-xeon-2s-after.json")
print(f"{before.machine.model}: NUMA: {before.is_numa}, {before.provenance.started}")

# %% What remote memory costs, as plain objects
latency = [cell for cell in before.cells() if cell.instrument == "latency"]
for cell in latency:
    print(f"{cell.row} to memory of {cell.column}: {cell.median:.0f} {cell.unit}")
local = [cell.median for cell in latency if cell.row == cell.column]
remote = [cell.median for cell in latency if cell.row != cell.column]
print(f"remote / local: {min(remote) / max(local):.2f}")

# %% What changed between two surveys
figures = {(cell.row, cell.column): cell for cell in after.cells() if cell.instrument == "latency"}
for cell in latency:
    now = figures[cell.row, cell.column]
    is_apart = now.low > cell.high or now.high < cell.low
    change = 100 * (now.median / cell.median - 1)
    print(f"{cell.row} to {cell.column}: {change:+.1f} %{' (changed)' if is_apart else ''}")

# %% Placements of a program
sweep = nearfar.load(folder / "this-machine-xz.json")
best = min(sweep.cells(), key=lambda cell: cell.median)
print(f"fastest of {len(sweep.cells())} configurations: {best.row}, {best.median:.2f} s")

# %% As a DataFrame, where pandas is installed
try:
    table = before.to_pandas()
    print(table.pivot_table(index="row", columns="column", values="median"))
except ImportError:
    print("(pandas is not installed)")

# %% As a picture, where matplotlib is installed
try:
    import matplotlib

    matplotlib.use("svg")
    before.plot("latency").figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "latency.svg")
except ImportError:
    print("(matplotlib is not installed)")
