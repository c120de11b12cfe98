"""Types of sweeps, which have no published schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._record import Record, of


@dataclass
class SweepRun(Record):
    """One run of a program."""

    block: Optional[int] = None
    order: Optional[int] = None
    wall_s: Optional[float] = None
    user_s: Optional[float] = None
    sys_s: Optional[float] = None
    max_rss_bytes: Optional[int] = None
    remote_share: Optional[float] = None


@dataclass
class SweepConfiguration(Record):
    """A placement, and what its runs gave."""

    id: Optional[str] = None
    placement: Optional[str] = None
    jobs: Optional[int] = None
    cpus: Optional[str] = None
    nodes: Optional[str] = None
    command: Optional[List[str]] = None
    runs: Optional[List[SweepRun]] = of("SweepRun")
    median: Optional[float] = None
    ci95: Optional[List[float]] = None
    cv: Optional[float] = None
    min: Optional[float] = None
    max: Optional[float] = None
    failed: Optional[int] = None


@dataclass
class SweepDocument(Record):
    """Placements of a program, compared."""

    schema: Optional[str] = None
    version: Optional[str] = None
    started: Optional[str] = None
    machine: Optional[Dict[str, Any]] = None
    objective: Optional[Dict[str, Any]] = None
    command: Optional[List[str]] = None
    seed: Optional[int] = None
    stopped: Optional[str] = None
    configurations: Optional[List[SweepConfiguration]] = of("SweepConfiguration")
    answers: Optional[Dict[str, Any]] = None
