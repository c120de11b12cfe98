# Written by './dev schema' from schema/*.json: do not edit.
# ruff: noqa: E501
"""Types of nearfar's documents. Each field is None in documents that lack it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from ._record import Record, record_field


@dataclass
class AccessChange(Record):
    """A change of an access's time, with the access."""

    change: Optional[float] = None
    cpus: Optional[int] = None
    memory: Optional[int] = None


@dataclass
class AccessTime(Record):
    """The latency of an access."""

    cpus: Optional[int] = None
    memory: Optional[int] = None
    ns: Optional[float] = None


@dataclass
class Advice(Record):
    """The advice. A `vendor` selects the names of settings; null where it is unknown."""

    boot: Optional[str] = None
    code: Optional[str] = None
    hypervisor: Optional[str] = None
    option: Optional[str] = None
    split: Optional[str] = None
    vendor: Optional[str] = None


@dataclass
class Advice2(Record):
    """One recommended placement, and the costs that it is recommended for."""

    alternatives: Optional[List[CostComparison]] = record_field("CostComparison")
    beside_own: Optional[CostComparison] = record_field("CostComparison")
    code: Optional[str] = None
    costs: Optional[List[List[CostFigure]]] = record_field("CostFigure")
    cpus: Optional[int] = None
    exchanged: Optional[CostComparison] = record_field("CostComparison")
    largest: Optional[CostComparison] = record_field("CostComparison")
    mean: Optional[CostComparison] = record_field("CostComparison")
    memory: Optional[int] = None
    nearest: Optional[int] = None
    nodes: Optional[List[int]] = None
    own: Optional[CostComparison] = record_field("CostComparison")
    sets: Optional[List[List[int]]] = None


@dataclass
class Answers(Record):
    """All answers."""

    as_fast: Optional[List[str]] = None
    bimodal: Optional[List[Bimodal]] = record_field("Bimodal")
    default: Optional[str] = None
    difference_to_default: Optional[Dict[str, RatioTest]] = record_field("RatioTest")
    drift: Optional[ReferenceDrift] = record_field("ReferenceDrift")
    fastest: Optional[str] = None
    findings: Optional[List[SweepFinding]] = record_field("SweepFinding")
    front: Optional[List[str]] = None
    irq: Optional[List[IrqGain]] = record_field("IrqGain")
    run_line: Optional[str] = None
    scaling: Optional[List[JobsCurve]] = record_field("JobsCurve")
    smt: Optional[List[SmtGain]] = record_field("SmtGain")
    steadiest: Optional[str] = None
    steadiest_p: Optional[float] = None


@dataclass
class Axes(Record):
    """What was varied."""

    environment: Optional[List[Variable]] = record_field("Variable")
    jobs: Optional[List[int]] = None
    placements: Optional[List[str]] = None
    placements_from: Optional[ChosenBy] = record_field("ChosenBy")
    system: Optional[Dict[str, List[str]]] = None


@dataclass
class Bandwidth(Record):
    """The figures of one instrument: bytes a second as the program sees them."""

    cells: Optional[List[MatrixCell2]] = record_field("MatrixCell2")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    footprint_bytes: Optional[int] = None
    isa: Optional[str] = None
    kernels: Optional[List[KernelTraffic]] = record_field("KernelTraffic")
    knees: Optional[List[Knee]] = record_field("Knee")
    peak: Optional[Peak] = record_field("Peak")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    treatments: Optional[List[Streaming]] = record_field("Streaming")
    unit: Optional[str] = None
    window_ms: Optional[float] = None
    windows: Optional[int] = None
    windows_dropped: Optional[Dict[str, int]] = None


@dataclass
class BestConfiguration(Record):
    """The configuration with the best median of those that failed least."""

    failed: Optional[int] = None
    id: Optional[str] = None
    others_failed_more: Optional[bool] = None
    runs: Optional[int] = None


@dataclass
class BestSpread(Record):
    """The best weights of a row and kernel: faster than each node alone beyond noise, or one node that no measured weights exceed."""

    as_good: Optional[List[str]] = None
    bytes_per_s: Optional[float] = None
    equal_bytes_per_s: Optional[float] = None
    gain_ci95: Optional[List[float]] = None
    kernel: Optional[str] = None
    kernel_weights_bytes_per_s: Optional[float] = None
    one_node_bytes_per_s: Optional[float] = None
    row: Optional[int] = None
    run_by: Optional[str] = None
    set_by: Optional[str] = None
    weights: Optional[str] = None


@dataclass
class Bimodal(Record):
    """A configuration with two typical figures."""

    differs: Optional[List[Predictor]] = record_field("Predictor")
    id: Optional[str] = None


@dataclass
class CacheClaim(Record):
    """A claim about one cache."""

    claimed_bytes: Optional[int] = None
    name: Optional[str] = None


@dataclass
class CacheClaimReason(Record):
    """The reason of a result."""

    bytes: Optional[float] = None
    ci95: Optional[List[float]] = None
    code: Optional[str] = None
    from_bytes: Optional[int] = None
    largest_bytes: Optional[float] = None
    ns: Optional[float] = None
    share: Optional[float] = None
    to_bytes: Optional[int] = None
    tolerance: Optional[float] = None


@dataclass
class CacheGroupPart(Record):
    """CPUs that share their last-level cache. Where the kernel lists no cache: the CPUs of a package, or all."""

    bytes: Optional[int] = None
    cpus: Optional[str] = None
    kind: Optional[str] = None
    level: Optional[int] = None


@dataclass
class CacheLevel(Record):
    """One cache, as its latency shows it."""

    capacity_bytes: Optional[float] = None
    capacity_bytes_ci95: Optional[List[float]] = None
    climbs_over_bytes: Optional[List[int]] = None
    latency_ns: Optional[float] = None
    latency_ns_ci95: Optional[List[float]] = None


@dataclass
class Caches(Record):
    """The figures of one instrument: nanoseconds of an access, by CPU, size and kind of pages; columns are sizes."""

    backings: Optional[List[str]] = None
    cells: Optional[List[MatrixCell4]] = record_field("MatrixCell4")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    found: Optional[List[FoundCaches]] = record_field("FoundCaches")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    sizes_bytes: Optional[List[int]] = None
    treatments: Optional[List[Paging]] = record_field("Paging")
    unit: Optional[str] = None


@dataclass
class Cause(Record):
    """The deciding cause."""

    code: Optional[str] = None
    message: Optional[str] = None
    offset: Optional[int] = None
    table: Optional[str] = None


@dataclass
class CausePart(Record):
    """Findings of one instrument that share a cause."""

    cell_ratios: Optional[List[float]] = None
    cells: Optional[int] = None
    ci95: Optional[List[float]] = None
    instrument: Optional[str] = None
    is_relative: Optional[bool] = None
    other_cells: Optional[float] = None
    outliers: Optional[int] = None
    q: Optional[float] = None
    ratios: Optional[List[float]] = None
    unit: Optional[str] = None


@dataclass
class CellCheck(Record):
    """One cell compared with its claim."""

    agrees: Optional[bool] = None
    ci95: Optional[List[float]] = None
    claimed: Optional[float] = None
    cpu_node: Optional[int] = None
    measured: Optional[float] = None
    memory_node: Optional[int] = None


@dataclass
class CellControl(Record):
    """A cell and its repetition."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    differs: Optional[bool] = None
    ratio: Optional[float] = None
    row: Optional[int] = None
    treatment: Optional[int] = None


@dataclass
class CellFills(Record):
    """Fills in one cell, scaled to all its visits."""

    column: Optional[int] = None
    counted_share: Optional[float] = None
    expected: Optional[str] = None
    loads: Optional[int] = None
    local: Optional[int] = None
    remote: Optional[int] = None
    remote_share: Optional[float] = None
    row: Optional[int] = None


@dataclass
class CellLevels(Record):
    """The medians of two levels of a cell, the lower first."""

    bytes_per_s: Optional[List[float]] = None
    home: Optional[str] = None
    kernel: Optional[str] = None
    ns: Optional[List[float]] = None
    state: Optional[str] = None
    threads: Optional[int] = None


@dataclass
class CellWarning(Record):
    """What else there is to know of a cell."""

    again_bytes_per_s: Optional[float] = None
    cells: Optional[int] = None
    code: Optional[str] = None
    column: Optional[str] = None
    events: Optional[str] = None
    expected: Optional[str] = None
    expected_bytes_per_s: Optional[float] = None
    fewest_visits: Optional[int] = None
    first_bytes_per_s: Optional[float] = None
    judged: Optional[int] = None
    kernel: Optional[str] = None
    levels: Optional[CellLevels] = record_field("CellLevels")
    often_visited: Optional[int] = None
    remote_share: Optional[float] = None
    row: Optional[str] = None
    threads: Optional[int] = None
    visits: Optional[List[int]] = None
    with_levels: Optional[int] = None
    within_a_process: Optional[bool] = None


@dataclass
class ChosenBy(Record):
    """The source of distances between nodes."""

    code: Optional[str] = None
    file: Optional[str] = None


@dataclass
class ClaimCheck(Record):
    """The result of a comparison."""

    cells: Optional[List[CellCheck]] = record_field("CellCheck")
    claim: Optional[str] = None
    equal: Optional[PairCounts] = record_field("PairCounts")
    findings: Optional[List[ClaimFinding]] = record_field("ClaimFinding")
    ordered: Optional[PairCounts] = record_field("PairCounts")
    placements: Optional[List[ClaimPlacement]] = record_field("ClaimPlacement")
    rank: Optional[RankCorrelation] = record_field("RankCorrelation")
    strengths: Optional[List[float]] = None


@dataclass
class ClaimFinding(Record):
    """One contradiction. Ratios are of costs, far to near."""

    cells: Optional[List[List[int]]] = None
    ci95: Optional[List[float]] = None
    claimed: Optional[float] = None
    claimed_nearer: Optional[int] = None
    code: Optional[str] = None
    costs: Optional[List[float]] = None
    cpus: Optional[int] = None
    farther: Optional[int] = None
    figure: Optional[float] = None
    measured: Optional[float] = None
    memory: Optional[int] = None
    nearer: Optional[Any] = None
    node: Optional[int] = None
    rank: Optional[RankCorrelation] = record_field("RankCorrelation")
    ratio: Optional[float] = None


@dataclass
class ClaimPlacement(Record):
    """CPUs, and the memory to use from there."""

    cpus: Optional[int] = None
    first: Optional[int] = None
    overflow: Optional[int] = None


@dataclass
class ClaimedDevice(Record):
    """A device, by the kernel's name."""

    kind: Optional[str] = None
    name: Optional[str] = None
    node: Optional[int] = None


@dataclass
class ClaimedNode(Record):
    """One node as the kernel shows it."""

    cpus: Optional[str] = None
    id: Optional[int] = None
    memory_bytes: Optional[int] = None


@dataclass
class ClaimedPackage(Record):
    """A package."""

    cpus: Optional[str] = None
    id: Optional[int] = None


@dataclass
class ClaimedParts(Record):
    """Parts of the machine that hold online CPUs, each kind by its first CPU. Within a kind no CPU stands in two parts."""

    cache_groups: Optional[List[CacheGroupPart]] = record_field("CacheGroupPart")
    caches: Optional[List[EqualCaches]] = record_field("EqualCaches")
    cores: Optional[List[CorePart]] = record_field("CorePart")
    dies: Optional[List[DiePart]] = record_field("DiePart")
    packages: Optional[List[ClaimedPackage]] = record_field("ClaimedPackage")


@dataclass
class Claims(Record):
    """Claims of kernel and firmware."""

    devices: Optional[List[ClaimedDevice]] = record_field("ClaimedDevice")
    diagnosis: Optional[Diagnosis] = record_field("Diagnosis")
    distances: Optional[Any] = None
    hmat: Optional[Performance] = record_field("Performance")
    nodes: Optional[List[ClaimedNode]] = record_field("ClaimedNode")
    parts: Optional[ClaimedParts] = record_field("ClaimedParts")


@dataclass
class ClaimsMeasured(Record):
    """Each claim held against the measurements."""

    checks: Optional[List[ClaimCheck]] = record_field("ClaimCheck")


@dataclass
class ConfigurationResult(Record):
    """A configuration with its figures."""

    ci95: Optional[List[float]] = None
    command: Optional[List[str]] = None
    cpus: Optional[str] = None
    cv: Optional[float] = None
    environment: Optional[List[List[Any]]] = None
    failed: Optional[int] = None
    id: Optional[str] = None
    jobs: Optional[int] = None
    max: Optional[float] = None
    median: Optional[float] = None
    min: Optional[float] = None
    modes: Optional[Modes] = record_field("Modes")
    nodes: Optional[str] = None
    placement: Optional[str] = None
    runs: Optional[List[SweepRun]] = record_field("SweepRun")
    sys_s: Optional[float] = None
    system: Optional[Dict[str, str]] = None
    user_s: Optional[float] = None
    words: Optional[List[str]] = None


@dataclass
class ControlComparison(Record):
    """One A/A pair: two sets of pages on one node, read by one row."""

    again: Optional[int] = None
    column: Optional[int] = None
    difference: Optional[float] = None
    p: Optional[float] = None
    row: Optional[int] = None


@dataclass
class Controls(Record):
    """A/A controls: how often the same thing "differs"."""

    compared: Optional[List[ControlComparison]] = record_field("ControlComparison")
    differing: Optional[int] = None
    pairs: Optional[int] = None


@dataclass
class CorePart(Record):
    """A core."""

    cpus: Optional[str] = None


@dataclass
class CoreToCore(Record):
    """The figures of one instrument: nanoseconds of one way, by pair of CPUs, exchange and home."""

    all_pairs: Optional[int] = None
    cannot_tell: Optional[List[PairsReason]] = record_field("PairsReason")
    cells: Optional[List[MatrixCell3]] = record_field("MatrixCell3")
    checks: Optional[int] = None
    classes: Optional[List[CostClass]] = record_field("CostClass")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    contradictions: Optional[List[Misclaimed]] = record_field("Misclaimed")
    measured_pairs: Optional[int] = None
    not_measured: Optional[Dict[str, int]] = None
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    structure: Optional[FoundStructure] = record_field("FoundStructure")
    treatments: Optional[List[Exchanging]] = record_field("Exchanging")
    unit: Optional[str] = None
    wrong_pairs_below: Optional[float] = None


@dataclass
class CostClass(Record):
    """Costs of the pairs of one relation."""

    median_ns: Optional[float] = None
    quartiles_ns: Optional[List[float]] = None
    shares: Optional[str] = None


@dataclass
class CostComparison(Record):
    """Two costs of one measurement, the cheaper placement first."""

    ci95: Optional[List[float]] = None
    far: Optional[CostFigure] = record_field("CostFigure")
    near: Optional[CostFigure] = record_field("CostFigure")
    ratio: Optional[float] = None


@dataclass
class CostFigure(Record):
    """A cost of cells."""

    cells: Optional[List[List[int]]] = None
    ns: Optional[float] = None
    statistic: Optional[str] = None


@dataclass
class CpuCount(Record):
    """How often a CPU served."""

    count: Optional[int] = None
    cpu: Optional[int] = None


@dataclass
class CpuFact(Record):
    """CPUs of one of the kernel's files."""

    cpus: Optional[str] = None
    state: Optional[str] = None
    text: Optional[str] = None


@dataclass
class CpuInterrupt(Record):
    """An interrupt of the CPUs themselves."""

    by_node: Optional[List[NodeCount]] = record_field("NodeCount")
    count: Optional[int] = None
    description: Optional[str] = None
    name: Optional[str] = None


@dataclass
class CpuNumbers(Record):
    """What CPUID calls a CPU."""

    family: Optional[int] = None
    model: Optional[int] = None
    vendor: Optional[str] = None


@dataclass
class CpusetError(Record):
    """Why there are no cpusets around runs. Each `error` is the kernel's."""

    code: Optional[str] = None
    error: Optional[str] = None
    file: Optional[str] = None
    folder: Optional[str] = None
    value: Optional[str] = None


@dataclass
class Cure(Record):
    """A change of placement, with the bounds of what it does to an access's time."""

    change: Optional[TimeBounds] = record_field("TimeBounds")
    cpus: Optional[str] = None
    kind: Optional[str] = None
    node: Optional[int] = None
    nodes: Optional[str] = None


@dataclass
class CureKind(Record):
    """What to change."""

    cpus: Optional[str] = None
    kind: Optional[str] = None
    node: Optional[int] = None
    nodes: Optional[str] = None


@dataclass
class Device(Record):
    """A device, and where it is."""

    address: Optional[str] = None
    class_: Optional[str] = None
    class_name: Optional[str] = None
    cpus: Optional[str] = None
    driver: Optional[str] = None
    id: Optional[str] = None
    interrupts: Optional[Interrupts] = record_field("Interrupts")
    kind: Optional[str] = None
    label: Optional[str] = None
    link: Optional[Link] = record_field("Link")
    model: Optional[str] = None
    names: Optional[List[str]] = None
    narrow_link: Optional[NarrowLink] = record_field("NarrowLink")
    node: Optional[DeviceNode] = record_field("DeviceNode")
    path: Optional[List[str]] = None
    physical_function: Optional[str] = None
    vendor: Optional[str] = None
    virtual_functions: Optional[int] = None


@dataclass
class DeviceFinding(Record):
    """A finding. Devices are named by their labels."""

    above: Optional[LinkAbove] = record_field("LinkAbove")
    address: Optional[str] = None
    by_path: Optional[str] = None
    by_sysfs: Optional[str] = None
    by_witness: Optional[str] = None
    claims: Optional[List[NodeClaim]] = record_field("NodeClaim")
    code: Optional[str] = None
    column: Optional[str] = None
    device: Optional[str] = None
    device_lanes: Optional[int] = None
    device_max: Optional[Lanes] = record_field("Lanes")
    devices: Optional[List[str]] = None
    file_gpus: Optional[int] = None
    gpus: Optional[int] = None
    kernel_node: Optional[int] = None
    kfd_node: Optional[int] = None
    nearest: Optional[str] = None
    node: Optional[int] = None
    now: Optional[Lanes] = record_field("Lanes")
    package_nodes: Optional[str] = None
    pair: Optional[List[str]] = None
    peer_nodes: Optional[str] = None
    peers: Optional[List[str]] = None
    port: Optional[str] = None
    port_lanes: Optional[int] = None
    port_max: Optional[Lanes] = record_field("Lanes")
    root_bus: Optional[str] = None
    root_buses: Optional[int] = None
    why: Optional[str] = None
    witness: Optional[str] = None
    witnesses: Optional[List[str]] = None


@dataclass
class DeviceNode(Record):
    """The node of a device by all witnesses."""

    claims: Optional[List[NodeClaim]] = record_field("NodeClaim")
    node: Optional[int] = None
    verdict: Optional[str] = None


@dataclass
class DevicesDocument(Record):
    """The devices of a machine."""

    devices: Optional[List[Device]] = record_field("Device")
    findings: Optional[List[DeviceFinding]] = record_field("DeviceFinding")
    functions: Optional[int] = None
    kernel: Optional[str] = None
    machine: Optional[str] = None
    matrix: Optional[LevelMatrix] = record_field("LevelMatrix")
    names_from: Optional[str] = None
    nodes: Optional[str] = None
    nodes_with_cpus: Optional[str] = None
    oddities: Optional[List[str]] = None
    schema: Optional[str] = None


@dataclass
class Diagnosis(Record):
    """Why the operating system sees the nodes it sees, or none."""

    cause: Optional[Cause] = record_field("Cause")
    confidence: Optional[str] = None
    findings: Optional[List[DiagnosisFinding]] = record_field("DiagnosisFinding")
    observed: Optional[SourceVerdict] = record_field("SourceVerdict")
    predicted: Optional[SourceVerdict] = record_field("SourceVerdict")
    reason: Optional[DiagnosisReason] = record_field("DiagnosisReason")
    schema: Optional[str] = None
    verdict: Optional[str] = None
    witnesses: Optional[List[WitnessReport]] = record_field("WitnessReport")


@dataclass
class DiagnosisFinding(Record):
    """A finding besides the verdict."""

    advice: Optional[Advice] = record_field("Advice")
    code: Optional[str] = None
    evidence: Optional[List[Evidence]] = record_field("Evidence")
    severity: Optional[str] = None
    what: Optional[FindingDetail] = record_field("FindingDetail")


@dataclass
class DiagnosisReason(Record):
    """The reason of a verdict, where the verdict and its cause need an explanation."""

    code: Optional[str] = None
    dies: Optional[int] = None
    hypervisor: Optional[str] = None
    likely: Optional[bool] = None
    nodes: Optional[int] = None
    outside: Optional[OutsideNode] = record_field("OutsideNode")
    packages: Optional[int] = None
    question: Optional[OpenQuestion] = record_field("OpenQuestion")


@dataclass
class DiePart(Record):
    """A die of a package."""

    cpus: Optional[str] = None
    id: Optional[int] = None
    package: Optional[int] = None


@dataclass
class DiskQueueCpus(Record):
    """A hardware queue of a disk."""

    cpus: Optional[CpuFact] = record_field("CpuFact")
    number: Optional[int] = None


@dataclass
class DistanceClasses(Record):
    """Distance classes, near to far."""

    classes: Optional[List[LatencyClass]] = record_field("LatencyClass")
    refused: Optional[NoClasses] = record_field("NoClasses")


@dataclass
class Disturbance(Record):
    """Samples that an instrument dropped in one round, for one reason."""

    instrument: Optional[str] = None
    process: Optional[int] = None
    reason: Optional[str] = None
    round: Optional[int] = None
    samples: Optional[int] = None


@dataclass
class DoctorDocument(Record):
    """What this machine allows to this process."""

    checks: Optional[List[FacilityCheck]] = record_field("FacilityCheck")
    process: Optional[ProcessRights] = record_field("ProcessRights")
    schema: Optional[str] = None


@dataclass
class DocumentFault(Record):
    """Why a document is not used."""

    code: Optional[str] = None
    newest: Optional[str] = None
    of: Optional[str] = None
    schema: Optional[str] = None
    why: Optional[str] = None


@dataclass
class DriftValue(Record):
    """Machines whose setting is not the usual one."""

    machines: Optional[List[str]] = None
    state: Optional[str] = None
    value: Optional[str] = None


@dataclass
class Enforcement(Record):
    """What programs cannot change. Affinity and memory policy are always set, but programs can change those."""

    changed: Optional[bool] = None
    cpusets: Optional[str] = None
    why_not: Optional[CpusetError] = record_field("CpusetError")


@dataclass
class EnvironmentWarning(Record):
    """What made, or may make, memory look other than it is."""

    average: Optional[float] = None
    code: Optional[str] = None
    cpus: Optional[Any] = None
    governors: Optional[List[str]] = None
    name: Optional[str] = None
    nodes: Optional[int] = None
    pages: Optional[int] = None
    periods: Optional[int] = None
    share: Optional[float] = None
    thp_enabled: Optional[str] = None
    throttled_us: Optional[int] = None


@dataclass
class EqualCaches(Record):
    """Caches of one level, kind and size."""

    bytes: Optional[int] = None
    cpus: Optional[str] = None
    kind: Optional[str] = None
    level: Optional[int] = None
    shared_by: Optional[int] = None


@dataclass
class Evidence(Record):
    """A quotation of the input."""

    excerpt: Optional[str] = None
    source: Optional[str] = None
    where: Optional[str] = None


@dataclass
class Exchanging(Record):
    """What a pair was visited with."""

    home: Optional[str] = None
    state: Optional[str] = None


@dataclass
class ExplainDocument(Record):
    """Processes, what the place of their memory costs, what may help, and whether it did."""

    processes: Optional[List[ExplainedProcess]] = record_field("ExplainedProcess")
    schema: Optional[str] = None
    survey: Optional[SurveyUsed] = record_field("SurveyUsed")
    trial: Optional[TrialDocument] = record_field("TrialDocument")
    unreadable: Optional[List[str]] = None


@dataclass
class ExplainedProcess(Record):
    """A process."""

    all_pages_located: Optional[bool] = None
    cures: Optional[List[Cure]] = record_field("Cure")
    fastest_access: Optional[AccessTime] = record_field("AccessTime")
    memory_bytes: Optional[int] = None
    name: Optional[str] = None
    obstacles: Optional[List[Obstacle]] = record_field("Obstacle")
    pages_by_node: Optional[List[NodeShare]] = record_field("NodeShare")
    pages_located: Optional[int] = None
    pid: Optional[int] = None
    remote_cost: Optional[TimeBounds] = record_field("TimeBounds")
    remote_share: Optional[Interval] = record_field("Interval")
    slowest_access: Optional[AccessTime] = record_field("AccessTime")
    threads: Optional[int] = None
    threads_by_node: Optional[List[NodeShare]] = record_field("NodeShare")
    verdict: Optional[str] = None


@dataclass
class FacilityCheck(Record):
    """A facility, and whether it is available."""

    disables: Optional[List[str]] = None
    facility: Optional[str] = None
    limits: Optional[List[str]] = None
    reason: Optional[Obstruction] = record_field("Obstruction")
    remedies: Optional[List[FacilityRemedy]] = record_field("FacilityRemedy")
    state: Optional[str] = None


@dataclass
class FacilityRemedy(Record):
    """What makes a facility available."""

    capability: Optional[str] = None
    code: Optional[str] = None
    command: Optional[str] = None
    fields: Optional[str] = None
    needs_root: Optional[bool] = None
    options: Optional[str] = None
    setting: Optional[str] = None
    since: Optional[str] = None
    what: Optional[str] = None


@dataclass
class FailureCount(Record):
    """How often a configuration failed."""

    failed: Optional[int] = None
    id: Optional[str] = None
    runs: Optional[int] = None


@dataclass
class FillEvidence(Record):
    """Fills from local and remote memory in each cell of latency."""

    cells: Optional[List[CellFills]] = record_field("CellFills")
    events: Optional[str] = None
    refusal: Optional[PmuRefusal] = record_field("PmuRefusal")


@dataclass
class FillsContradict(Record):
    """Cells whose fills contradict the placement of their memory."""

    cells: Optional[int] = None
    column: Optional[str] = None
    events: Optional[str] = None
    expected: Optional[str] = None
    judged: Optional[int] = None
    remote_share: Optional[float] = None
    row: Optional[str] = None


@dataclass
class FindingDetail(Record):
    """The figures of a finding."""

    by_bytes: Optional[int] = None
    channels: Optional[int] = None
    clause: Optional[str] = None
    code: Optional[str] = None
    empty: Optional[int] = None
    finding: Optional[Any] = None
    kernel: Optional[int] = None
    kernel_bytes: Optional[int] = None
    least_bytes: Optional[int] = None
    modules_bytes: Optional[int] = None
    most_bytes: Optional[int] = None
    socket: Optional[str] = None
    sockets: Optional[List[str]] = None
    tables: Optional[int] = None


@dataclass
class Fingerprint(Record):
    """What each line of a process cost a row once."""

    ns: Optional[List[float]] = None
    process: Optional[int] = None
    round: Optional[int] = None
    row: Optional[int] = None


@dataclass
class FirstLook(Record):
    """What it came to."""

    held_bytes: Optional[int] = None
    reasons: Optional[List[PageReason]] = record_field("PageReason")
    share: Optional[float] = None


@dataclass
class FleetBatch(Record):
    """Machines of a group that are alike, and differ from others as a whole: memory of another vendor, another BIOS."""

    causes: Optional[List[FleetCause]] = record_field("FleetCause")
    centers: Optional[List[float]] = None
    differences: Optional[List[FleetFinding]] = record_field("FleetFinding")
    machines: Optional[List[str]] = None
    unsure: Optional[List[str]] = None


@dataclass
class FleetCause(Record):
    """What several findings of one machine share."""

    direction: Optional[str] = None
    group: Optional[int] = None
    kind: Optional[str] = None
    label: Optional[str] = None
    machine: Optional[str] = None
    parts: Optional[List[CausePart]] = record_field("CausePart")


@dataclass
class FleetCellSummary(Record):
    """A cell of a group."""

    center: Optional[float] = None
    column: Optional[str] = None
    instrument: Optional[str] = None
    machines: Optional[int] = None
    probe: Optional[str] = None
    row: Optional[str] = None
    spread: Optional[float] = None
    treatment: Optional[Dict[str, str]] = None
    unit: Optional[str] = None


@dataclass
class FleetDocument(Record):
    """The machines of a fleet: groups, drift, outliers."""

    causes: Optional[List[FleetCause]] = record_field("FleetCause")
    drift: Optional[List[FleetDrift]] = record_field("FleetDrift")
    false_discovery_rate: Optional[float] = None
    findings: Optional[List[FleetFinding]] = record_field("FleetFinding")
    floor: Optional[float] = None
    groups: Optional[List[FleetGroup]] = record_field("FleetGroup")
    reference: Optional[str] = None
    schema: Optional[str] = None
    skipped: Optional[List[SkippedDocument]] = record_field("SkippedDocument")


@dataclass
class FleetDrift(Record):
    """A setting that differs within a group."""

    compared_with: Optional[int] = None
    group: Optional[int] = None
    machines: Optional[int] = None
    others: Optional[List[DriftValue]] = record_field("DriftValue")
    setting: Optional[str] = None
    usual: Optional[str] = None


@dataclass
class FleetFinding(Record):
    """A cell of a machine that differs from those of the other machines."""

    cause: Optional[int] = None
    cell_ratio: Optional[float] = None
    ci95: Optional[List[float]] = None
    column: Optional[str] = None
    direction: Optional[str] = None
    figure: Optional[float] = None
    group: Optional[int] = None
    instrument: Optional[str] = None
    is_relative: Optional[bool] = None
    machine: Optional[str] = None
    other_cells: Optional[float] = None
    p: Optional[float] = None
    probe: Optional[str] = None
    q: Optional[float] = None
    ratio: Optional[float] = None
    row: Optional[str] = None
    treatment: Optional[Dict[str, str]] = None
    unit: Optional[str] = None


@dataclass
class FleetGroup(Record):
    """Machines of one shape."""

    batches: Optional[List[FleetBatch]] = record_field("FleetBatch")
    cells: Optional[List[FleetCellSummary]] = record_field("FleetCellSummary")
    machines: Optional[List[FleetMachine]] = record_field("FleetMachine")
    shape: Optional[FleetShape] = record_field("FleetShape")
    smallest: Optional[SmallestSlowdown] = record_field("SmallestSlowdown")
    state: Optional[str] = None


@dataclass
class FleetMachine(Record):
    """A machine of a group."""

    batch: Optional[int] = None
    name: Optional[str] = None
    name_source: Optional[str] = None
    ratios: Optional[List[float]] = None
    started: Optional[str] = None
    surveys: Optional[List[str]] = None


@dataclass
class FleetShape(Record):
    """What machines of one group have in common.  Kernel and settings are no part of it. Machines that differ in them alone have the same hardware, and a machine whose kernel or setting differs is what a fleet looks for: in a group of its own, its figures would be compared with none. They are drift."""

    cpus: Optional[int] = None
    memory_bytes: Optional[int] = None
    model: Optional[str] = None
    node_cpus: Optional[List[str]] = None
    nodes: Optional[int] = None
    packages: Optional[int] = None


@dataclass
class FoundCaches(Record):
    """The caches that a row's CPU shows."""

    claims: Optional[List[JudgedClaim]] = record_field("JudgedClaim")
    levels: Optional[List[CacheLevel]] = record_field("CacheLevel")
    memory_ns: Optional[float] = None
    memory_ns_ci95: Optional[List[float]] = None
    pages: Optional[str] = None
    refused: Optional[NoLevels] = record_field("NoLevels")
    row: Optional[int] = None
    tlb: Optional[TlbReach] = record_field("TlbReach")


@dataclass
class FoundGroup(Record):
    """CPUs that belong together."""

    cpus: Optional[str] = None
    support: Optional[float] = None


@dataclass
class FoundStructure(Record):
    """Who shares what."""

    cache_groups: Optional[List[FoundGroup]] = record_field("FoundGroup")
    packages: Optional[List[FoundGroup]] = record_field("FoundGroup")
    smt_pairs: Optional[List[FoundGroup]] = record_field("FoundGroup")


@dataclass
class Gpu(Record):
    """The figures of one instrument."""

    bandwidth: Optional[GpuTable] = record_field("GpuTable")
    driver: Optional[GpuDriverFacts] = record_field("GpuDriverFacts")
    gpus: Optional[List[GpuFacts]] = record_field("GpuFacts")
    latency: Optional[GpuTable2] = record_field("GpuTable2")
    peer_bandwidth: Optional[GpuTable] = record_field("GpuTable")
    peer_latency: Optional[GpuTable2] = record_field("GpuTable2")
    verdicts: Optional[List[GpuNearest]] = record_field("GpuNearest")
    window_ms: Optional[float] = None


@dataclass
class GpuCopy(Record):
    """One kind of copy."""

    control: Optional[str] = None
    direction: Optional[str] = None
    gpus: Optional[List[str]] = None
    memory: Optional[str] = None
    peer: Optional[str] = None
    size_bytes: Optional[int] = None


@dataclass
class GpuDriverFacts(Record):
    """The driver, and the program that worked with it."""

    helper: Optional[str] = None
    interface: Optional[str] = None
    library: Optional[str] = None
    version: Optional[str] = None


@dataclass
class GpuFacts(Record):
    """A GPU, or a slice of one."""

    address: Optional[str] = None
    driver_node: Optional[int] = None
    index: Optional[int] = None
    is_mig: Optional[bool] = None
    kernel_node: Optional[int] = None
    label: Optional[str] = None
    memory_bytes: Optional[int] = None
    name: Optional[str] = None
    package: Optional[int] = None


@dataclass
class GpuLatencyCopy(Record):
    """A copy whose figure is nanoseconds."""

    control: Optional[str] = None
    direction: Optional[str] = None
    gpus: Optional[List[str]] = None
    memory: Optional[str] = None
    peer: Optional[str] = None
    size_bytes: Optional[int] = None


@dataclass
class GpuNearest(Record):
    """The node that is nearest to a GPU, by its copies alone."""

    address: Optional[str] = None
    ci95: Optional[List[float]] = None
    copy: Optional[GpuCopy] = record_field("GpuCopy")
    driver_is_right: Optional[bool] = None
    factor: Optional[str] = None
    gpu: Optional[str] = None
    kernel_is_right: Optional[bool] = None
    kind: Optional[int] = None
    nodes: Optional[List[int]] = None
    ratio: Optional[float] = None
    verdict: Optional[str] = None


@dataclass
class GpuRateCopy(Record):
    """Copies whose figure is bytes a second."""

    control: Optional[str] = None
    direction: Optional[str] = None
    gpus: Optional[List[str]] = None
    memory: Optional[str] = None
    peer: Optional[str] = None
    size_bytes: Optional[int] = None


@dataclass
class GpuTable(Record):
    """Figures by row, column and copy, and what follows from them."""

    cells: Optional[List[MatrixCell10]] = record_field("MatrixCell10")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    controls: Optional[List[CellControl]] = record_field("CellControl")
    factors: Optional[List[PlacementEffect2]] = record_field("PlacementEffect2")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    treatments: Optional[List[GpuRateCopy]] = record_field("GpuRateCopy")
    unit: Optional[str] = None


@dataclass
class GpuTable2(Record):
    """Figures by row, column and copy, and what follows from them."""

    cells: Optional[List[MatrixCell11]] = record_field("MatrixCell11")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    controls: Optional[List[CellControl]] = record_field("CellControl")
    factors: Optional[List[PlacementEffect2]] = record_field("PlacementEffect2")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    treatments: Optional[List[GpuLatencyCopy]] = record_field("GpuLatencyCopy")
    unit: Optional[str] = None


@dataclass
class GroupRow(Record):
    """One control group with its child groups."""

    anonymous_bytes: Optional[int] = None
    by_node: Optional[List[NodeBytes]] = record_field("NodeBytes")
    cpus: Optional[float] = None
    file_bytes: Optional[int] = None
    memory_bytes: Optional[int] = None
    memory_wait_some: Optional[float] = None
    moving: Optional[MovingMemory] = record_field("MovingMemory")
    name: Optional[str] = None
    remote_share: Optional[float] = None
    tasks: Optional[int] = None
    why: Optional[str] = None


@dataclass
class Hidden(Record):
    """The figures of one instrument: nanoseconds of an access, by group of CPUs and kind of pages. One column, "all pages", where no kinds were found."""

    cells: Optional[List[MatrixCell]] = record_field("MatrixCell")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    finding: Optional[str] = None
    lines: Optional[HiddenLines] = record_field("HiddenLines")
    pages: Optional[HiddenPages] = record_field("HiddenPages")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[HiddenSamples] = record_field("HiddenSamples")
    timeline: Optional[PageTimeline] = record_field("PageTimeline")
    unit: Optional[str] = None


@dataclass
class HiddenLines(Record):
    """Results of lines."""

    correlation: Optional[float] = None
    effect: Optional[float] = None
    finding: Optional[str] = None
    kinds: Optional[int] = None
    measured: Optional[int] = None
    opposite_rows: Optional[List[int]] = None
    p: Optional[float] = None
    reasons: Optional[List[LineReason]] = record_field("LineReason")
    reliability: Optional[List[float]] = None


@dataclass
class HiddenPages(Record):
    """Results of pages."""

    ci95: Optional[List[float]] = None
    count: Optional[NodeCount2] = record_field("NodeCount2")
    down_to: Optional[float] = None
    effect: Optional[float] = None
    finding: Optional[str] = None
    first_look: Optional[FirstLook] = record_field("FirstLook")
    held_bytes: Optional[int] = None
    kinds: Optional[List[PageKind]] = record_field("PageKind")
    left_out_cpus: Optional[str] = None
    measured: Optional[int] = None
    memory_bytes: Optional[List[List[int]]] = None
    nodes: Optional[str] = None
    p: Optional[float] = None
    proof: Optional[str] = None
    reasons: Optional[List[PageReason]] = record_field("PageReason")
    rows_apart: Optional[float] = None
    settling: Optional[str] = None
    share: Optional[float] = None
    span_bytes: Optional[List[int]] = None
    support: Optional[float] = None
    would_settle: Optional[PageRemedy] = record_field("PageRemedy")


@dataclass
class HiddenSamples(Record):
    """Samples of pages, of the reference page, and of lines."""

    fingerprints: Optional[List[Fingerprint]] = record_field("Fingerprint")
    pages: Optional[Samples] = record_field("Samples")
    reference: Optional[Samples] = record_field("Samples")


@dataclass
class Hops(Record):
    """The number of links between two nodes."""

    a: Optional[int] = None
    b: Optional[int] = None
    hops: Optional[int] = None


@dataclass
class IndirectPath(Record):
    """A pair of nodes without a link, and the node between them."""

    a: Optional[int] = None
    b: Optional[int] = None
    bandwidth: Optional[str] = None
    via: Optional[int] = None


@dataclass
class InstrumentRun(Record):
    """What one of several instruments did."""

    aim: Optional[float] = None
    duration_s: Optional[float] = None
    instrument: Optional[str] = None
    processes: Optional[int] = None
    rounds: Optional[int] = None
    standard_error: Optional[float] = None
    stopped: Optional[str] = None


@dataclass
class Interleave(Record):
    """The figures of one instrument, and which weights are best."""

    bandwidth: Optional[TreatmentMatrix] = record_field("TreatmentMatrix")
    best: Optional[List[BestSpread]] = record_field("BestSpread")
    chase_bytes: Optional[int] = None
    footprint_bytes: Optional[int] = None
    isa: Optional[str] = None
    kernel_weights: Optional[str] = None
    latency: Optional[TreatmentMatrix2] = record_field("TreatmentMatrix2")
    nodes: Optional[List[int]] = None
    undetermined: Optional[List[UndeterminedSpread]] = record_field("UndeterminedSpread")
    why: Optional[str] = None


@dataclass
class InterruptTarget(Record):
    """The CPUs of a value."""

    cpus: Optional[str] = None
    nodes: Optional[str] = None


@dataclass
class Interrupts(Record):
    """The interrupts of a device."""

    count: Optional[int] = None
    cpus: Optional[str] = None
    kind: Optional[str] = None
    nodes: Optional[str] = None
    not_readable: Optional[bool] = None
    only_allowed: Optional[bool] = None


@dataclass
class Interval(Record):
    """A figure with its 95 % interval."""

    ci95: Optional[List[float]] = None
    value: Optional[float] = None


@dataclass
class IntervalEstimate(Record):
    """A figure with its 95 % interval."""

    ci95: Optional[List[float]] = None
    value: Optional[float] = None


@dataclass
class Io(Record):
    """The figures of one instrument."""

    engine: Optional[str] = None
    engine_why: Optional[str] = None
    latency: Optional[IoTable] = record_field("IoTable")
    targets: Optional[List[IoTargetFacts]] = record_field("IoTargetFacts")
    throughput: Optional[IoTable2] = record_field("IoTable2")
    window_ms: Optional[float] = None


@dataclass
class IoAccess(Record):
    """A target, how it is accessed, and where its interrupts run."""

    control: Optional[str] = None
    depth: Optional[int] = None
    interrupts: Optional[str] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None


@dataclass
class IoBest(Record):
    """The best placement, as far as factors matter."""

    buffer_node: Optional[str] = None
    control: Optional[str] = None
    depth: Optional[int] = None
    interrupt_place: Optional[str] = None
    interrupts: Optional[str] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    program_node: Optional[str] = None
    run_by: Optional[str] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None


@dataclass
class IoDiskFacts(Record):
    """A disk as the kernel shows it."""

    address: Optional[str] = None
    is_rotational: Optional[bool] = None
    model: Optional[str] = None
    name: Optional[str] = None
    node: Optional[int] = None
    power_tolerance: Optional[str] = None
    queues: Optional[int] = None
    scheduler: Optional[str] = None


@dataclass
class IoLatencies(Record):
    """The latencies of a cell in one process."""

    column: Optional[int] = None
    counts: Optional[List[List[int]]] = None
    process: Optional[int] = None
    row: Optional[int] = None
    treatment: Optional[int] = None


@dataclass
class IoLatencyAccess(Record):
    """An access whose figure is nanoseconds."""

    control: Optional[str] = None
    depth: Optional[int] = None
    interrupts: Optional[str] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None


@dataclass
class IoRateAccess(Record):
    """An access whose figure is bytes a second."""

    control: Optional[str] = None
    depth: Optional[int] = None
    interrupts: Optional[str] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None


@dataclass
class IoServed(Record):
    """Which nodes served the interrupts of a cell's target while it was accessed."""

    by_node: Optional[Dict[str, float]] = None
    by_row: Optional[float] = None
    column: Optional[int] = None
    interrupts: Optional[int] = None
    row: Optional[int] = None
    treatment: Optional[int] = None


@dataclass
class IoTable(Record):
    """Figures by row, column and access, and what follows from them."""

    best: Optional[List[IoBest]] = record_field("IoBest")
    cells: Optional[List[MatrixCell8]] = record_field("MatrixCell8")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    controls: Optional[List[CellControl]] = record_field("CellControl")
    factors: Optional[List[PlacementEffect]] = record_field("PlacementEffect")
    latencies: Optional[List[IoLatencies]] = record_field("IoLatencies")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    served: Optional[List[IoServed]] = record_field("IoServed")
    tails: Optional[List[IoTail]] = record_field("IoTail")
    treatments: Optional[List[IoLatencyAccess]] = record_field("IoLatencyAccess")
    unit: Optional[str] = None


@dataclass
class IoTable2(Record):
    """Figures by row, column and access, and what follows from them."""

    best: Optional[List[IoBest]] = record_field("IoBest")
    cells: Optional[List[MatrixCell9]] = record_field("MatrixCell9")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    controls: Optional[List[CellControl]] = record_field("CellControl")
    factors: Optional[List[PlacementEffect]] = record_field("PlacementEffect")
    latencies: Optional[List[IoLatencies]] = record_field("IoLatencies")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    served: Optional[List[IoServed]] = record_field("IoServed")
    tails: Optional[List[IoTail]] = record_field("IoTail")
    treatments: Optional[List[IoRateAccess]] = record_field("IoRateAccess")
    unit: Optional[str] = None


@dataclass
class IoTail(Record):
    """The distribution of one cell's latencies. A quantile is null where fewer than ten accesses were beyond it."""

    accesses: Optional[int] = None
    column: Optional[int] = None
    p50: Optional[TailFigure] = record_field("TailFigure")
    p99: Optional[TailFigure] = record_field("TailFigure")
    p999: Optional[TailFigure] = record_field("TailFigure")
    row: Optional[int] = None
    treatment: Optional[int] = None


@dataclass
class IoTargetFacts(Record):
    """A file or a disk."""

    bytes: Optional[int] = None
    cgroup_limit: Optional[str] = None
    disks: Optional[List[IoDiskFacts]] = record_field("IoDiskFacts")
    disks_why: Optional[str] = None
    interrupts: Optional[int] = None
    interrupts_why: Optional[str] = None
    is_disk: Optional[bool] = None
    is_made: Optional[bool] = None
    node: Optional[int] = None
    path: Optional[str] = None


@dataclass
class Irq(Record):
    """An interrupt, who may serve it, and who did."""

    actions: Optional[List[str]] = None
    allowed: Optional[CpuFact] = record_field("CpuFact")
    by_cpu: Optional[List[CpuCount]] = record_field("CpuCount")
    by_node: Optional[List[NodeCount]] = record_field("NodeCount")
    chip: Optional[str] = None
    control: Optional[str] = None
    count: Optional[int] = None
    effective: Optional[CpuFact] = record_field("CpuFact")
    far: Optional[int] = None
    hint: Optional[CpuFact] = record_field("CpuFact")
    input: Optional[int] = None
    kernel_node: Optional[int] = None
    kind: Optional[str] = None
    nodes: Optional[str] = None
    number: Optional[int] = None
    per_second: Optional[float] = None
    place: Optional[str] = None
    queue: Optional[IrqQueue] = record_field("IrqQueue")
    shared_with: Optional[List[str]] = None
    trigger: Optional[str] = None


@dataclass
class IrqBalancer(Record):
    """irqbalance and its policy."""

    arguments: Optional[List[str]] = None
    banned_cpus: Optional[str] = None
    banned_interrupts: Optional[List[int]] = None
    file: Optional[str] = None
    file_options: Optional[List[str]] = None
    policy_script: Optional[str] = None
    state: Optional[str] = None


@dataclass
class IrqDevice(Record):
    """A device, its interrupts and its queues."""

    address: Optional[str] = None
    by_node: Optional[List[NodeCount]] = record_field("NodeCount")
    count: Optional[int] = None
    cpus: Optional[str] = None
    disks: Optional[List[IrqDisk]] = record_field("IrqDisk")
    driver: Optional[str] = None
    far: Optional[int] = None
    interfaces: Optional[List[IrqInterface]] = record_field("IrqInterface")
    interrupts: Optional[List[Irq]] = record_field("Irq")
    kind: Optional[str] = None
    label: Optional[str] = None
    names: Optional[List[str]] = None
    node: Optional[int] = None


@dataclass
class IrqDisk(Record):
    """A disk."""

    name: Optional[str] = None
    queues: Optional[List[DiskQueueCpus]] = record_field("DiskQueueCpus")


@dataclass
class IrqDocument(Record):
    """The interrupts of a machine."""

    balancer: Optional[IrqBalancer] = record_field("IrqBalancer")
    changed_cpus: Optional[str] = None
    cpu_interrupts: Optional[List[CpuInterrupt]] = record_field("CpuInterrupt")
    cpus: Optional[str] = None
    default_cpus: Optional[str] = None
    devices: Optional[List[IrqDevice]] = record_field("IrqDevice")
    far_share: Optional[float] = None
    findings: Optional[List[IrqFinding]] = record_field("IrqFinding")
    flow_entries: Optional[int] = None
    folded: Optional[IrqFolded] = record_field("IrqFolded")
    kernel: Optional[str] = None
    machine: Optional[str] = None
    managed_avoid: Optional[str] = None
    nodes: Optional[str] = None
    oddities: Optional[List[str]] = None
    others: Optional[List[Irq]] = record_field("Irq")
    saved: Optional[SavedFile] = record_field("SavedFile")
    schema: Optional[str] = None
    seconds: Optional[float] = None
    softirqs: Optional[List[Softirq]] = record_field("Softirq")
    totals: Optional[List[NodeTotal]] = record_field("NodeTotal")


@dataclass
class IrqFinding(Record):
    """A finding. Devices are named by their labels."""

    after: Optional[str] = None
    before: Optional[str] = None
    between_tables: Optional[bool] = None
    code: Optional[str] = None
    count: Optional[int] = None
    cpu: Optional[int] = None
    cpus: Optional[str] = None
    device: Optional[str] = None
    devices: Optional[List[str]] = None
    far: Optional[int] = None
    interface: Optional[str] = None
    interrupt: Optional[int] = None
    interrupt_nodes: Optional[str] = None
    interrupts: Optional[List[int]] = None
    near_cpus: Optional[int] = None
    node: Optional[int] = None
    nodes: Optional[str] = None
    offer_messages: Optional[List[str]] = None
    queues: Optional[Any] = None
    seconds: Optional[float] = None
    send_nodes: Optional[str] = None


@dataclass
class IrqFolded(Record):
    """What is left out: devices and interrupts that are idle, and the least active ones of very many. Counts by CPU, queues, softirqs and interrupts of the CPUs themselves are left out, too. Sums by device and by node have all."""

    devices: Optional[int] = None
    findings: Optional[int] = None
    interrupts: Optional[int] = None


@dataclass
class IrqGain(Record):
    """Interrupts near their device against interrupts far from it."""

    blocks: Optional[int] = None
    ci95: Optional[List[float]] = None
    jobs: Optional[int] = None
    of: Optional[str] = None
    p: Optional[float] = None
    ratio: Optional[float] = None
    real: Optional[bool] = None


@dataclass
class IrqInterface(Record):
    """A network interface."""

    name: Optional[str] = None
    receive: Optional[List[ReceiveQueueCpus]] = record_field("ReceiveQueueCpus")
    threaded: Optional[bool] = None
    transmit: Optional[List[TransmitQueueCpus]] = record_field("TransmitQueueCpus")


@dataclass
class IrqQueue(Record):
    """A device's queue."""

    direction: Optional[str] = None
    number: Optional[int] = None


@dataclass
class JobsCurve(Record):
    """A curve over jobs."""

    law: Optional[Law] = record_field("Law")
    of: Optional[str] = None
    points: Optional[List[List[Any]]] = None
    stops_paying_at: Optional[int] = None
    too_few_runs: Optional[bool] = None


@dataclass
class JudgedClaim(Record):
    """A claim, and whether it holds."""

    claimed_bytes: Optional[int] = None
    measured_bytes: Optional[float] = None
    name: Optional[str] = None
    source: Optional[str] = None
    verdict: Optional[str] = None
    why: Optional[CacheClaimReason] = record_field("CacheClaimReason")


@dataclass
class Jump(Record):
    """A jump of what one page costs one CPU."""

    after_ns: Optional[float] = None
    before_ns: Optional[float] = None
    cpus: Optional[str] = None
    p: Optional[float] = None
    process: Optional[int] = None
    round: Optional[int] = None
    row: Optional[int] = None


@dataclass
class KernelTraffic(Record):
    """A kernel's traffic for each byte that the program moves."""

    kernel: Optional[str] = None
    memory_per_program: Optional[float] = None
    read_share: Optional[float] = None


@dataclass
class Knee(Record):
    """Where more threads do not help any more."""

    column: Optional[int] = None
    row: Optional[int] = None
    threads: Optional[int] = None


@dataclass
class Lanes(Record):
    """Speed and width of a link."""

    gt_s: Optional[float] = None
    lanes: Optional[int] = None


@dataclass
class LatencyClass(Record):
    """Memories with equal cost."""

    cells: Optional[List[List[int]]] = None
    ci95: Optional[List[float]] = None
    cost_ns: Optional[float] = None


@dataclass
class Law(Record):
    """A fitted law."""

    crosstalk: Optional[float] = None
    kind: Optional[str] = None
    one_job: Optional[float] = None
    peak_jobs: Optional[float] = None
    serial: Optional[float] = None
    worst_miss: Optional[float] = None


@dataclass
class Lead(Record):
    """How far the best is ahead of the reference."""

    gain: Optional[float] = None
    of: Optional[str] = None
    real: Optional[bool] = None


@dataclass
class LeftOutWarning(Record):
    """Why an instrument did not measure."""

    budget_s: Optional[float] = None
    code: Optional[str] = None
    instruments: Optional[Any] = None
    why: Optional[str] = None


@dataclass
class LevelMatrix(Record):
    """Levels of pairs: what `nvidia-smi topo -m` prints."""

    cpus: Optional[List[str]] = None
    labels: Optional[List[str]] = None
    levels: Optional[List[List[str]]] = None
    witnesses: Optional[List[str]] = None


@dataclass
class Limits(Record):
    """What ends a sweep. It is kept with it, so that one that was interrupted goes on as it began."""

    budget_s: Optional[float] = None
    fewest: Optional[int] = None
    most: Optional[int] = None
    precision: Optional[float] = None


@dataclass
class LineReason(Record):
    """One reason of a result."""

    apart: Optional[float] = None
    code: Optional[str] = None
    correlation: Optional[float] = None
    kinds: Optional[int] = None


@dataclass
class Link(Record):
    """A PCIe link."""

    device_max: Optional[Lanes] = record_field("Lanes")
    now: Optional[Lanes] = record_field("Lanes")
    port_max: Optional[Lanes] = record_field("Lanes")


@dataclass
class LinkAbove(Record):
    """A link between bridges above a device."""

    bridge: Optional[str] = None
    devices: Optional[List[str]] = None


@dataclass
class Loaded(Record):
    """The figures of one instrument: nanoseconds an access."""

    cells: Optional[List[MatrixCell5]] = record_field("MatrixCell5")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    curves: Optional[List[LoadingCurve]] = record_field("LoadingCurve")
    footprint_bytes: Optional[int] = None
    isa: Optional[str] = None
    kernel: Optional[str] = None
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    shared_links: Optional[List[SharedLink]] = record_field("SharedLink")
    treatments: Optional[List[Loading]] = record_field("Loading")
    unit: Optional[str] = None


@dataclass
class Loading(Record):
    """What a cell is visited with."""

    aggressors: Optional[int] = None
    aggressors_column: Optional[int] = None
    delay: Optional[int] = None


@dataclass
class LoadingCurve(Record):
    """Latency by load: one victim, one memory, one row of aggressors."""

    aggressors: Optional[int] = None
    column: Optional[int] = None
    has_idle_cpus: Optional[bool] = None
    idle_ns: Optional[IntervalEstimate] = record_field("IntervalEstimate")
    knee_bytes_per_s: Optional[IntervalEstimate] = record_field("IntervalEstimate")
    row: Optional[int] = None
    saturated_bytes_per_s: Optional[float] = None
    saturated_ns: Optional[IntervalEstimate] = record_field("IntervalEstimate")
    why: Optional[NoKnee] = record_field("NoKnee")


@dataclass
class MachineRates(Record):
    """Page migrations and waiting, of the whole machine. Null: this kernel does not count it."""

    balanced_bytes_per_s: Optional[float] = None
    demoted_bytes_per_s: Optional[float] = None
    hint_faults_local_share: Optional[float] = None
    hint_faults_per_s: Optional[float] = None
    local_hint_faults_per_s: Optional[float] = None
    memory_wait_full: Optional[float] = None
    memory_wait_some: Optional[float] = None
    migrated_bytes_per_s: Optional[float] = None
    promoted_bytes_per_s: Optional[float] = None


@dataclass
class MachineSummary(Record):
    """Who the machine is, in a line's worth of facts."""

    arch: Optional[str] = None
    cores: Optional[int] = None
    cpuid: Optional[CpuNumbers] = record_field("CpuNumbers")
    cpus: Optional[int] = None
    host: Optional[str] = None
    hypervisor: Optional[str] = None
    kernel: Optional[str] = None
    memory_bytes: Optional[int] = None
    model: Optional[str] = None
    nodes: Optional[int] = None
    packages: Optional[int] = None
    product: Optional[str] = None


@dataclass
class Matrix(Record):
    """Costs by row (CPUs) and column (memory), and by what a cell was visited with, where an instrument has more than one way to."""

    cells: Optional[List[MatrixCell]] = record_field("MatrixCell")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    unit: Optional[str] = None


@dataclass
class MatrixCell(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    median: Optional[float] = None
    node: Optional[int] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell10(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    control: Optional[str] = None
    cpus: Optional[str] = None
    direction: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    gpus: Optional[List[str]] = None
    median: Optional[float] = None
    memory: Optional[str] = None
    node: Optional[int] = None
    peer: Optional[str] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    size_bytes: Optional[int] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell11(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    control: Optional[str] = None
    cpus: Optional[str] = None
    direction: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    gpus: Optional[List[str]] = None
    median: Optional[float] = None
    memory: Optional[str] = None
    node: Optional[int] = None
    peer: Optional[str] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    size_bytes: Optional[int] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell2(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    kernel: Optional[str] = None
    median: Optional[float] = None
    node: Optional[int] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    threads: Optional[int] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell3(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    home: Optional[str] = None
    median: Optional[float] = None
    node: Optional[int] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    state: Optional[str] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell4(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    median: Optional[float] = None
    node: Optional[int] = None
    pages: Optional[str] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell5(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    aggressors: Optional[int] = None
    aggressors_column: Optional[int] = None
    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    delay: Optional[int] = None
    dropped: Optional[Dict[str, int]] = None
    median: Optional[float] = None
    node: Optional[int] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell6(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    kernel: Optional[str] = None
    median: Optional[float] = None
    node: Optional[int] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    traffic_bytes_per_s: Optional[float] = None
    weights: Optional[str] = None
    why: Optional[str] = None


@dataclass
class MatrixCell7(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    cpus: Optional[str] = None
    dropped: Optional[Dict[str, int]] = None
    kernel: Optional[str] = None
    median: Optional[float] = None
    node: Optional[int] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    traffic_bytes_per_s: Optional[float] = None
    weights: Optional[str] = None
    why: Optional[str] = None


@dataclass
class MatrixCell8(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    control: Optional[str] = None
    cpus: Optional[str] = None
    depth: Optional[int] = None
    dropped: Optional[Dict[str, int]] = None
    interrupts: Optional[str] = None
    median: Optional[float] = None
    node: Optional[int] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixCell9(Record):
    """One CPU group at one memory. Figures are null, and `why` gives the reason, where nothing could be measured."""

    ci95: Optional[List[float]] = None
    column: Optional[int] = None
    control: Optional[str] = None
    cpus: Optional[str] = None
    depth: Optional[int] = None
    dropped: Optional[Dict[str, int]] = None
    interrupts: Optional[str] = None
    median: Optional[float] = None
    node: Optional[int] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    q25: Optional[float] = None
    row: Optional[int] = None
    samples: Optional[int] = None
    se: Optional[float] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None
    traffic_bytes_per_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class MatrixColumn(Record):
    """Memory that is read."""

    backing: Optional[str] = None
    label: Optional[str] = None
    node: Optional[int] = None
    pages: Optional[int] = None


@dataclass
class MatrixRow(Record):
    """CPUs that read."""

    cpus: Optional[str] = None
    ghz: Optional[float] = None
    label: Optional[str] = None
    node: Optional[int] = None
    wander: Optional[float] = None


@dataclass
class Metric(Record):
    """A metric."""

    direction: Optional[str] = None
    is_counter: Optional[bool] = None
    kind: Optional[str] = None
    name: Optional[str] = None


@dataclass
class Misclaimed(Record):
    """CPUs in another group than claimed."""

    claimed: Optional[str] = None
    cpus: Optional[str] = None
    found: Optional[str] = None
    shares: Optional[str] = None


@dataclass
class MissingPolicy(Record):
    """A policy that does not work."""

    cause: Optional[str] = None
    name: Optional[str] = None
    since: Optional[str] = None
    used_by: Optional[str] = None


@dataclass
class Modes(Record):
    """Two modes."""

    boundary: Optional[float] = None
    centers: Optional[List[float]] = None
    p: Optional[float] = None
    runs: Optional[List[int]] = None


@dataclass
class MovingMemory(Record):
    """Memory that moves."""

    bytes_per_s: Optional[float] = None
    from_: Optional[int] = None
    to: Optional[int] = None


@dataclass
class NarrowLink(Record):
    """A link between two bridges above a device."""

    bridge: Optional[str] = None
    now: Optional[Lanes] = record_field("Lanes")


@dataclass
class NeedsTime(Record):
    """An instrument that there was no time for."""

    instrument: Optional[str] = None
    needs_s: Optional[float] = None


@dataclass
class NoClasses(Record):
    """Why there are no classes."""

    code: Optional[str] = None
    cpus: Optional[int] = None
    error: Optional[float] = None
    memory: Optional[int] = None


@dataclass
class NoHops(Record):
    """Why hops are not counted."""

    a: Optional[int] = None
    b: Optional[int] = None
    code: Optional[str] = None
    farther: Optional[int] = None
    farther_hops: Optional[int] = None
    from_: Optional[int] = None
    nearer: Optional[int] = None
    nearer_hops: Optional[int] = None


@dataclass
class NoKnee(Record):
    """Why a load curve has no knee."""

    code: Optional[str] = None
    rise: Optional[float] = None


@dataclass
class NoLevels(Record):
    """Why there are no levels, or no memory."""

    cache: Optional[CacheClaim] = record_field("CacheClaim")
    code: Optional[str] = None
    largest_bytes: Optional[float] = None
    last_ns: Optional[float] = None
    sizes: Optional[int] = None


@dataclass
class NoLinks(Record):
    """Why there are no links."""

    a: Optional[int] = None
    b: Optional[int] = None
    code: Optional[str] = None
    nodes: Optional[int] = None
    reason: Optional[NoClasses] = record_field("NoClasses")


@dataclass
class NodeBytes(Record):
    """Memory on a node."""

    bytes: Optional[int] = None
    node: Optional[int] = None


@dataclass
class NodeClaim(Record):
    """What one witness claims."""

    claim: Optional[str] = None
    domain: Optional[int] = None
    node: Optional[int] = None
    source: Optional[str] = None
    witness: Optional[str] = None


@dataclass
class NodeCount(Record):
    """How often a node served."""

    count: Optional[int] = None
    node: Optional[int] = None


@dataclass
class NodeCount2(Record):
    """The number of hidden nodes."""

    doubtful_cpus: Optional[str] = None
    far_cpus: Optional[str] = None
    is_exact: Optional[bool] = None
    needs_memory: Optional[bool] = None
    nodes: Optional[int] = None
    resolution: Optional[float] = None
    strays: Optional[int] = None
    undetermined_cpus: Optional[str] = None
    unseen_bytes: Optional[List[int]] = None
    unseen_share: Optional[float] = None


@dataclass
class NodeLink(Record):
    """A pair of nodes."""

    a: Optional[int] = None
    b: Optional[int] = None
    bandwidth: Optional[str] = None
    support: Optional[float] = None


@dataclass
class NodeLinks(Record):
    """Links between nodes."""

    edges: Optional[List[NodeLink]] = record_field("NodeLink")
    hops: Optional[List[Hops]] = record_field("Hops")
    no_hops_because: Optional[NoHops] = record_field("NoHops")
    nodes: Optional[List[int]] = None
    open: Optional[List[NodeLink]] = record_field("NodeLink")
    refused: Optional[NoLinks] = record_field("NoLinks")
    ways: Optional[List[IndirectPath]] = record_field("IndirectPath")


@dataclass
class NodeMemoryShare(Record):
    """The share of the only node in the machine's memory."""

    bytes: Optional[int] = None
    code: Optional[str] = None
    of_bytes: Optional[int] = None


@dataclass
class NodeRow(Record):
    """One node."""

    anonymous_bytes: Optional[int] = None
    available_bytes: Optional[int] = None
    cpus: Optional[str] = None
    dram_read_bytes_per_s: Optional[float] = None
    dram_written_bytes_per_s: Optional[float] = None
    far_memory_ns: Optional[float] = None
    file_bytes: Optional[int] = None
    foreign_pages_per_s: Optional[float] = None
    free_bytes: Optional[int] = None
    hit_pages_per_s: Optional[float] = None
    huge_free_bytes: Optional[int] = None
    huge_total_bytes: Optional[int] = None
    interleave_pages_per_s: Optional[float] = None
    local_bytes_per_s: Optional[float] = None
    local_fills_per_s: Optional[float] = None
    local_pages_per_s: Optional[float] = None
    miss_pages_per_s: Optional[float] = None
    near_memory_ns: Optional[float] = None
    node: Optional[int] = None
    remote_fills_per_s: Optional[float] = None
    remote_pages_per_s: Optional[float] = None
    shared_bytes: Optional[int] = None
    slab_bytes: Optional[int] = None
    total_bytes: Optional[int] = None
    traffic_bytes_per_s: Optional[float] = None
    transparent_huge_bytes: Optional[int] = None
    used_bytes: Optional[int] = None


@dataclass
class NodeShare(Record):
    """A share on a node: of pages, or of CPU time."""

    node: Optional[int] = None
    share: Optional[float] = None


@dataclass
class NodeThreads(Record):
    """Threads on a node."""

    node: Optional[int] = None
    threads: Optional[int] = None


@dataclass
class NodeTotal(Record):
    """Devices' interrupts that a node served."""

    count: Optional[int] = None
    far: Optional[int] = None
    node: Optional[int] = None
    per_second: Optional[float] = None
    unknown: Optional[int] = None


@dataclass
class NumaReason(Record):
    """One reason of a verdict."""

    after_ns: Optional[float] = None
    at_least: Optional[float] = None
    at_most: Optional[float] = None
    before_ns: Optional[float] = None
    by: Optional[float] = None
    cells: Optional[int] = None
    ci95: Optional[List[float]] = None
    code: Optional[str] = None
    cpus: Optional[str] = None
    effect: Optional[float] = None
    is_above: Optional[bool] = None
    jumps: Optional[int] = None
    left_out: Optional[int] = None
    nodes: Optional[str] = None
    p: Optional[float] = None
    reason: Optional[Any] = None
    rounds: Optional[int] = None
    series: Optional[int] = None
    threshold: Optional[float] = None


@dataclass
class NumaVerdict(Record):
    """The verdict, with its basis."""

    ci95: Optional[List[float]] = None
    detected: Optional[bool] = None
    effect: Optional[float] = None
    numa: Optional[str] = None
    p: Optional[float] = None
    reasons: Optional[List[NumaReason]] = record_field("NumaReason")
    threshold: Optional[float] = None
    would_settle: Optional[Remedy] = record_field("Remedy")


@dataclass
class Objective(Record):
    """What runs are judged by."""

    higher_is_better: Optional[bool] = None
    metric: Optional[str] = None
    name: Optional[str] = None


@dataclass
class Obstacle(Record):
    """An obstacle, known before anything moves."""

    allowed: Optional[str] = None
    bytes: Optional[int] = None
    code: Optional[str] = None
    free: Optional[int] = None
    needed: Optional[int] = None
    node: Optional[int] = None
    nodes: Optional[str] = None
    policy: Optional[str] = None
    wanted: Optional[str] = None


@dataclass
class Obstruction(Record):
    """Why a facility is not available."""

    by: Optional[str] = None
    bytes: Optional[int] = None
    call: Optional[str] = None
    code: Optional[str] = None
    error: Optional[str] = None
    group: Optional[str] = None
    missing: Optional[List[MissingPolicy]] = record_field("MissingPolicy")
    path: Optional[str] = None
    refusal: Optional[PmuRefusal] = record_field("PmuRefusal")
    value: Optional[str] = None


@dataclass
class OpenQuestion(Record):
    """A piece of missing information."""

    code: Optional[str] = None
    domains: Optional[int] = None
    may_be_clusters: Optional[bool] = None
    model_known: Optional[bool] = None
    packages_known: Optional[bool] = None
    path: Optional[str] = None
    text: Optional[str] = None
    why: Optional[str] = None


@dataclass
class Options(Record):
    """What the user asked for."""

    accesses: Optional[int] = None
    cpus: Optional[str] = None
    mode: Optional[str] = None
    nodes: Optional[str] = None
    rows: Optional[str] = None
    size_bytes: Optional[int] = None


@dataclass
class Outlier(Record):
    """A cell of bandwidth that differs from what its row, its column and its path predict."""

    again_bytes_per_s: Optional[float] = None
    column: Optional[str] = None
    expected_bytes_per_s: Optional[float] = None
    first_bytes_per_s: Optional[float] = None
    kernel: Optional[str] = None
    row: Optional[str] = None
    threads: Optional[int] = None


@dataclass
class OutsideNode(Record):
    """What the only online node does not have."""

    code: Optional[str] = None
    cpus: Optional[str] = None
    node: Optional[int] = None


@dataclass
class PageKind(Record):
    """Pages that cost alike."""

    address_bytes: Optional[List[int]] = None
    near_cpus: Optional[str] = None
    share: Optional[float] = None


@dataclass
class PageReason(Record):
    """One reason of a result. Differences are fractions."""

    agreeing: Optional[int] = None
    apart: Optional[float] = None
    at_least: Optional[float] = None
    at_most: Optional[float] = None
    code: Optional[str] = None
    detectable_from: Optional[float] = None
    effect: Optional[float] = None
    kinds: Optional[int] = None
    processes: Optional[int] = None
    why: Optional[str] = None
    with_kinds: Optional[int] = None
    with_pages: Optional[int] = None


@dataclass
class PageRemedy(Record):
    """What the user can do."""

    code: Optional[str] = None
    cpus: Optional[str] = None
    share: Optional[float] = None


@dataclass
class PageSizeMatrix(Record):
    """A matrix of one row and two columns: huge pages, and pages of the base size (4 KiB; 16 or 64 KiB on some aarch64 kernels)."""

    cells: Optional[List[MatrixCell]] = record_field("MatrixCell")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    probe: Optional[str] = None
    ratio: Optional[float] = None
    ratio_ci95: Optional[List[float]] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    unit: Optional[str] = None


@dataclass
class PageTimeline(Record):
    """One page of each process, accessed from each row again and again."""

    jumps: Optional[List[Jump]] = record_field("Jump")
    samples: Optional[int] = None
    series: Optional[int] = None


@dataclass
class Paging(Record):
    """What a size was visited with."""

    pages: Optional[str] = None


@dataclass
class PairCounts(Record):
    """Results for claims of one kind."""

    confirmed: Optional[int] = None
    open: Optional[int] = None
    refuted: Optional[int] = None


@dataclass
class PairsReason(Record):
    """Why groups are undetermined."""

    code: Optional[str] = None
    cpus: Optional[int] = None
    groups: Optional[int] = None
    measurements: Optional[int] = None
    most: Optional[int] = None
    of_all_pairs: Optional[bool] = None
    pairs: Optional[int] = None
    shares: Optional[str] = None


@dataclass
class Peak(Record):
    """What the DIMMs could deliver at most."""

    dimms: Optional[str] = None
    node_bytes_per_s: Optional[float] = None
    source: Optional[str] = None


@dataclass
class Performance(Record):
    """Latencies and bandwidths that firmware claims."""

    cells: Optional[List[PerformanceCell]] = record_field("PerformanceCell")
    from_: Optional[str] = None


@dataclass
class PerformanceCell(Record):
    """Claimed performance of one node's memory for an initiator."""

    initiator: Optional[int] = None
    read_bandwidth_bytes_per_s: Optional[int] = None
    read_latency_ns: Optional[int] = None
    target: Optional[int] = None
    write_bandwidth_bytes_per_s: Optional[int] = None
    write_latency_ns: Optional[int] = None


@dataclass
class PlacementEffect(Record):
    """The cost of one level of a factor against another level."""

    ci95: Optional[List[float]] = None
    combinations: Optional[int] = None
    control: Optional[str] = None
    depth: Optional[int] = None
    factor: Optional[str] = None
    interrupts: Optional[str] = None
    level: Optional[str] = None
    operation: Optional[str] = None
    pattern: Optional[str] = None
    probability: Optional[float] = None
    ratio: Optional[float] = None
    reference: Optional[str] = None
    size_bytes: Optional[int] = None
    target: Optional[str] = None
    verdict: Optional[str] = None


@dataclass
class PlacementEffect2(Record):
    """The cost of one level of a factor against another level."""

    ci95: Optional[List[float]] = None
    combinations: Optional[int] = None
    control: Optional[str] = None
    direction: Optional[str] = None
    factor: Optional[str] = None
    gpus: Optional[List[str]] = None
    level: Optional[str] = None
    memory: Optional[str] = None
    peer: Optional[str] = None
    probability: Optional[float] = None
    ratio: Optional[float] = None
    reference: Optional[str] = None
    size_bytes: Optional[int] = None
    verdict: Optional[str] = None


@dataclass
class PlacementRefusal(Record):
    """Why this machine cannot have a placement."""

    code: Optional[str] = None
    cpus: Optional[str] = None
    error: Optional[str] = None
    usable: Optional[str] = None


@dataclass
class PmuRefusal(Record):
    """Why events cannot be counted here."""

    code: Optional[str] = None
    error: Optional[str] = None
    family: Optional[int] = None
    guest: Optional[bool] = None
    level: Optional[int] = None
    model: Optional[int] = None
    needed: Optional[int] = None
    nmi_watchdog: Optional[bool] = None
    vendor: Optional[str] = None


@dataclass
class PmuState(Record):
    """The PMU that counts fills, and those of memory controllers."""

    dram_refusal: Optional[PmuRefusal] = record_field("PmuRefusal")
    events: Optional[str] = None
    refusal: Optional[PmuRefusal] = record_field("PmuRefusal")


@dataclass
class PrecisionWarning(Record):
    """What an instrument's cells lack."""

    aim: Optional[float] = None
    cells: Optional[int] = None
    code: Optional[str] = None
    imprecise: Optional[int] = None
    rounds: Optional[int] = None
    unmeasured: Optional[int] = None
    why: Optional[str] = None
    worst: Optional[float] = None


@dataclass
class Predictor(Record):
    """A figure that differs between the modes."""

    figure: Optional[str] = None
    means: Optional[List[float]] = None
    more_often: Optional[float] = None
    p: Optional[float] = None


@dataclass
class ProcessCounts(Record):
    """Numbers of processes."""

    matching: Optional[int] = None
    of_others: Optional[int] = None
    readable: Optional[int] = None


@dataclass
class ProcessRights(Record):
    """Rights of this process. What is not readable is null."""

    capabilities: Optional[List[str]] = None
    container: Optional[str] = None
    has_seccomp_filter: Optional[bool] = None
    locked_memory_limit: Optional[int] = None
    user: Optional[int] = None


@dataclass
class ProcessRow(Record):
    """One process."""

    by_node: Optional[List[NodeBytes]] = record_field("NodeBytes")
    cpus: Optional[float] = None
    memory_bytes: Optional[int] = None
    moving: Optional[MovingMemory] = record_field("MovingMemory")
    name: Optional[str] = None
    pid: Optional[int] = None
    remote_cost: Optional[Interval] = record_field("Interval")
    remote_share: Optional[Interval] = record_field("Interval")
    sample_age_s: Optional[float] = None
    sampled_pages: Optional[int] = None
    threads: Optional[int] = None
    threads_by_node: Optional[List[NodeThreads]] = record_field("NodeThreads")
    why: Optional[str] = None


@dataclass
class Provenance(Record):
    """Version, seed, time and effort of a survey."""

    budget_s: Optional[float] = None
    duration_s: Optional[float] = None
    instruments: Optional[List[InstrumentRun]] = record_field("InstrumentRun")
    left_out: Optional[List[Skipped]] = record_field("Skipped")
    options: Optional[Options] = record_field("Options")
    processes: Optional[int] = None
    rounds: Optional[int] = None
    seed: Optional[int] = None
    started: Optional[str] = None
    stopped: Optional[str] = None
    version: Optional[str] = None


@dataclass
class RankCorrelation(Record):
    """Kendall's tau-b of claimed and measured distances."""

    p: Optional[float] = None
    tau: Optional[float] = None


@dataclass
class RatioTest(Record):
    """A comparison of two configurations."""

    blocks: Optional[int] = None
    ci95: Optional[List[float]] = None
    p: Optional[float] = None
    ratio: Optional[float] = None
    real: Optional[bool] = None


@dataclass
class ReceiveQueueCpus(Record):
    """A receive queue."""

    flows: Optional[int] = None
    number: Optional[int] = None
    rps: Optional[CpuFact] = record_field("CpuFact")


@dataclass
class ReferenceDrift(Record):
    """A trend of the reference."""

    change: Optional[float] = None
    p: Optional[float] = None


@dataclass
class Remedy(Record):
    """What would settle an undetermined verdict."""

    code: Optional[str] = None
    if_uniform: Optional[bool] = None
    remedy: Optional[PageRemedy] = record_field("PageRemedy")
    rounds: Optional[int] = None
    so_far: Optional[int] = None
    standard_error: Optional[float] = None
    threshold: Optional[float] = None


@dataclass
class RoundTimeline(Record):
    """How an instrument's rounds followed one another: the time that its [`Disturbance`]s stand in."""

    instrument: Optional[str] = None
    process_starts: Optional[List[int]] = None
    rounds: Optional[int] = None


@dataclass
class RunEnd(Record):
    """How a run ended."""

    code: Optional[int] = None
    how: Optional[str] = None
    signal: Optional[int] = None


@dataclass
class RunFailure(Record):
    """Why a run does not count. `last_line` is the last line that the program printed, on standard error if there is any."""

    code: Optional[str] = None
    error: Optional[str] = None
    metric: Optional[str] = None
    option: Optional[str] = None
    printed: Optional[str] = None
    program: Optional[str] = None
    said: Optional[str] = None
    signal: Optional[int] = None
    status: Optional[int] = None
    wait_status: Optional[int] = None
    why: Optional[CpusetError] = record_field("CpusetError")


@dataclass
class RunInterrupts(Record):
    """The device's interrupts during a run."""

    by_node: Optional[List[NodeCount]] = record_field("NodeCount")
    count: Optional[int] = None
    effective: Optional[str] = None
    elsewhere: Optional[int] = None


@dataclass
class RunSettings(Record):
    """How each run is made."""

    cleanup: Optional[str] = None
    cpusets: Optional[bool] = None
    looks_at_pages: Optional[bool] = None
    prepare: Optional[str] = None
    timeout_s: Optional[float] = None
    warmup: Optional[int] = None


@dataclass
class RunVariability(Record):
    """How much a configuration's runs vary."""

    cv: Optional[float] = None
    id: Optional[str] = None


@dataclass
class SampleWarning(Record):
    """What happened to samples, and to the processes that take them."""

    above: Optional[int] = None
    attempts: Optional[int] = None
    code: Optional[str] = None
    counted: Optional[str] = None
    cpus: Optional[str] = None
    differing: Optional[int] = None
    dropped: Optional[int] = None
    largest: Optional[float] = None
    note: Optional[str] = None
    pairs: Optional[int] = None
    samples: Optional[int] = None
    times: Optional[float] = None
    why: Optional[str] = None


@dataclass
class Samples(Record):
    """Every undisturbed sample, in the order they were taken."""

    data: Optional[List[List[float]]] = None
    fields: Optional[List[str]] = None


@dataclass
class SavedFile(Record):
    """What a file with saved counters had."""

    ignored: Optional[int] = None
    lines: Optional[int] = None
    tables: Optional[int] = None


@dataclass
class SharedLink(Record):
    """Whether two paths to memory share something: the victim on one is slowed by more than 5 % while the other is busy."""

    a: Optional[List[int]] = None
    b: Optional[List[int]] = None
    ci95: Optional[List[float]] = None
    slowdown: Optional[float] = None
    verdict: Optional[str] = None


@dataclass
class Skipped(Record):
    """An instrument that did not measure, or not to its end."""

    instrument: Optional[str] = None
    needs_s: Optional[float] = None
    why: Optional[str] = None


@dataclass
class SkippedDocument(Record):
    """A document, or a file, that is not used."""

    fault: Optional[DocumentFault] = record_field("DocumentFault")
    file: Optional[str] = None
    line: Optional[int] = None


@dataclass
class SmallestSlowdown(Record):
    """Slowdowns that would be outliers with a probability of 97.5 % or more, as fractions."""

    cell: Optional[float] = None
    machine: Optional[float] = None


@dataclass
class SmtGain(Record):
    """Hardware threads on against off."""

    blocks: Optional[int] = None
    ci95: Optional[List[float]] = None
    jobs: Optional[int] = None
    jobs_off: Optional[int] = None
    of: Optional[str] = None
    p: Optional[float] = None
    ratio: Optional[float] = None
    real: Optional[bool] = None


@dataclass
class Softirq(Record):
    """A kind of work after interrupts."""

    by_node: Optional[List[NodeCount]] = record_field("NodeCount")
    count: Optional[int] = None
    name: Optional[str] = None


@dataclass
class SourceVerdict(Record):
    """The verdict of one source: the tables, or the running kernel."""

    cause: Optional[Cause] = record_field("Cause")
    nodes: Optional[int] = None
    verdict: Optional[str] = None
    why: Optional[List[OpenQuestion]] = record_field("OpenQuestion")


@dataclass
class SpreadLoad(Record):
    """What memory is spread by."""

    kernel: Optional[str] = None
    weights: Optional[str] = None


@dataclass
class SpreadStream(Record):
    """What memory is spread by, and what is done to it."""

    kernel: Optional[str] = None
    weights: Optional[str] = None


@dataclass
class Streaming(Record):
    """What a cell is visited with."""

    kernel: Optional[str] = None
    threads: Optional[int] = None


@dataclass
class SurveyBasis(Record):
    """The survey behind costs."""

    remote_ratio: Optional[float] = None
    started: Optional[str] = None


@dataclass
class SurveyDocument(Record):
    """One survey of one machine."""

    advice: Optional[List[Advice2]] = record_field("Advice2")
    bandwidth: Optional[Bandwidth] = record_field("Bandwidth")
    caches: Optional[Caches] = record_field("Caches")
    claims: Optional[Claims] = record_field("Claims")
    claims_vs_measured: Optional[ClaimsMeasured] = record_field("ClaimsMeasured")
    classes: Optional[DistanceClasses] = record_field("DistanceClasses")
    controls: Optional[Controls] = record_field("Controls")
    core_to_core: Optional[CoreToCore] = record_field("CoreToCore")
    courses: Optional[List[RoundTimeline]] = record_field("RoundTimeline")
    devices: Optional[DevicesDocument] = record_field("DevicesDocument")
    disturbances: Optional[List[Disturbance]] = record_field("Disturbance")
    environment: Optional[Any] = None
    fills: Optional[FillEvidence] = record_field("FillEvidence")
    gpu: Optional[Gpu] = record_field("Gpu")
    hidden: Optional[Hidden] = record_field("Hidden")
    interleave: Optional[Interleave] = record_field("Interleave")
    interrupts: Optional[IrqDocument] = record_field("IrqDocument")
    io: Optional[Io] = record_field("Io")
    latency: Optional[Matrix] = record_field("Matrix")
    links: Optional[NodeLinks] = record_field("NodeLinks")
    loaded: Optional[Loaded] = record_field("Loaded")
    machine: Optional[MachineSummary] = record_field("MachineSummary")
    page_size: Optional[PageSizeMatrix] = record_field("PageSizeMatrix")
    provenance: Optional[Provenance] = record_field("Provenance")
    samples: Optional[Samples] = record_field("Samples")
    schema: Optional[str] = None
    verdict: Optional[NumaVerdict] = record_field("NumaVerdict")
    warnings: Optional[List[Warning]] = record_field("Warning")


@dataclass
class SurveyUsed(Record):
    """A survey."""

    file: Optional[str] = None
    started: Optional[str] = None


@dataclass
class SweepDocument(Record):
    """A sweep."""

    answers: Optional[Answers] = record_field("Answers")
    axes: Optional[Axes] = record_field("Axes")
    command: Optional[List[str]] = None
    configurations: Optional[List[ConfigurationResult]] = record_field("ConfigurationResult")
    enforcement: Optional[Enforcement] = record_field("Enforcement")
    interrupts: Optional[SweepInterrupts] = record_field("SweepInterrupts")
    limits: Optional[Limits] = record_field("Limits")
    machine: Optional[SweepMachine] = record_field("SweepMachine")
    objective: Optional[Objective] = record_field("Objective")
    schema: Optional[str] = None
    seed: Optional[int] = None
    settings: Optional[RunSettings] = record_field("RunSettings")
    started: Optional[str] = None
    stopped: Optional[str] = None
    unavailable: Optional[List[Unavailable]] = record_field("Unavailable")
    version: Optional[str] = None


@dataclass
class SweepFinding(Record):
    """An answer."""

    ahead: Optional[Lead] = record_field("Lead")
    all: Optional[List[FailureCount]] = record_field("FailureCount")
    best: Optional[BestConfiguration] = record_field("BestConfiguration")
    can_tell: Optional[bool] = None
    change: Optional[float] = None
    code: Optional[str] = None
    counted: Optional[int] = None
    cpus: Optional[int] = None
    cv: Optional[float] = None
    device: Optional[str] = None
    fastest: Optional[RunVariability] = record_field("RunVariability")
    gains: Optional[List[SmtGain]] = record_field("SmtGain")
    goes_with: Optional[Predictor] = record_field("Predictor")
    id: Optional[str] = None
    interrupts: Optional[List[int]] = None
    law: Optional[Law] = record_field("Law")
    load: Optional[float] = None
    modes: Optional[Modes] = record_field("Modes")
    most: Optional[int] = None
    of: Optional[str] = None
    others_differ: Optional[bool] = None
    per_second: Optional[float] = None
    real: Optional[bool] = None
    reference: Optional[str] = None
    runs: Optional[int] = None
    ties: Optional[List[str]] = None
    until: Optional[int] = None


@dataclass
class SweepInterrupts(Record):
    """The device of the axis, and where its interrupts are set to."""

    address: Optional[str] = None
    device: Optional[str] = None
    interrupts: Optional[List[int]] = None
    irqbalance: Optional[List[int]] = None
    node: Optional[int] = None
    targets: Optional[Dict[str, InterruptTarget]] = record_field("InterruptTarget")


@dataclass
class SweepMachine(Record):
    """The machine, as far as comparisons of sweeps need it."""

    cpus: Optional[str] = None
    kernel: Optional[str] = None
    load_average: Optional[float] = None
    model: Optional[str] = None
    nodes: Optional[str] = None
    smt: Optional[bool] = None


@dataclass
class SweepRun(Record):
    """A run as the document keeps it."""

    block: Optional[int] = None
    exit: Optional[RunEnd] = record_field("RunEnd")
    failed: Optional[RunFailure] = record_field("RunFailure")
    interrupts: Optional[RunInterrupts] = record_field("RunInterrupts")
    left_behind: Optional[int] = None
    major_faults: Optional[int] = None
    max_rss_bytes: Optional[int] = None
    metric: Optional[float] = None
    minor_faults: Optional[int] = None
    numa_foreign: Optional[int] = None
    numa_hit: Optional[int] = None
    numa_miss: Optional[int] = None
    order: Optional[int] = None
    pages_migrated: Optional[int] = None
    remote_share: Optional[float] = None
    sys_s: Optional[float] = None
    user_s: Optional[float] = None
    wall_s: Optional[float] = None


@dataclass
class TailFigure(Record):
    """A quantile of durations."""

    ci95: Optional[List[float]] = None
    ns: Optional[float] = None


@dataclass
class TimeBounds(Record):
    """The least and the most change of an access's time, by which thread uses which page.  The ends contain the 95 % intervals of the survey's latencies."""

    least: Optional[AccessChange] = record_field("AccessChange")
    most: Optional[AccessChange] = record_field("AccessChange")


@dataclass
class TlbReach(Record):
    """The size from which base pages cost more, and the extra cost."""

    bytes: Optional[List[int]] = None
    entries: Optional[List[int]] = None
    extra_ns: Optional[float] = None


@dataclass
class TopDocument(Record):
    """A machine during one interval."""

    cgroups: Optional[List[GroupRow]] = record_field("GroupRow")
    counts: Optional[ProcessCounts] = record_field("ProcessCounts")
    interval_s: Optional[float] = None
    machine: Optional[MachineRates] = record_field("MachineRates")
    nodes: Optional[List[NodeRow]] = record_field("NodeRow")
    pmu: Optional[PmuState] = record_field("PmuState")
    processes: Optional[List[ProcessRow]] = record_field("ProcessRow")
    schema: Optional[str] = None
    survey: Optional[SurveyBasis] = record_field("SurveyBasis")
    time: Optional[str] = None


@dataclass
class TransmitQueueCpus(Record):
    """A transmit queue."""

    number: Optional[int] = None
    xps: Optional[CpuFact] = record_field("CpuFact")
    xps_receive: Optional[List[int]] = None


@dataclass
class TreatmentMatrix(Record):
    """Figures by row, column and treatment."""

    cells: Optional[List[MatrixCell6]] = record_field("MatrixCell6")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    treatments: Optional[List[SpreadStream]] = record_field("SpreadStream")
    unit: Optional[str] = None


@dataclass
class TreatmentMatrix2(Record):
    """Figures by row, column and treatment."""

    cells: Optional[List[MatrixCell7]] = record_field("MatrixCell7")
    columns: Optional[List[MatrixColumn]] = record_field("MatrixColumn")
    probe: Optional[str] = None
    rows: Optional[List[MatrixRow]] = record_field("MatrixRow")
    samples: Optional[Samples] = record_field("Samples")
    treatments: Optional[List[SpreadLoad]] = record_field("SpreadLoad")
    unit: Optional[str] = None


@dataclass
class TrialDocument(Record):
    """A cure that was tried."""

    change: Optional[Interval] = record_field("Interval")
    cure: Optional[CureKind] = record_field("CureKind")
    metric: Optional[Metric] = record_field("Metric")
    period_s: Optional[float] = None
    periods: Optional[List[TrialPeriod]] = record_field("TrialPeriod")
    processes: Optional[List[TrialledProcess]] = record_field("TrialledProcess")
    verdict: Optional[str] = None


@dataclass
class TrialPeriod(Record):
    """A period with pages in one placement."""

    block: Optional[int] = None
    dropped: Optional[str] = None
    figure: Optional[float] = None
    placement: Optional[str] = None


@dataclass
class TrialledProcess(Record):
    """A process whose pages were moved and put back."""

    has_ended: Optional[bool] = None
    moved_bytes: Optional[int] = None
    pid: Optional[int] = None
    restored_bytes: Optional[int] = None
    unmoved_bytes: Optional[int] = None
    unrestored_bytes: Optional[int] = None


@dataclass
class TwoLevels(Record):
    """Cells with two typical values instead of one."""

    column: Optional[str] = None
    fewest_visits: Optional[int] = None
    levels: Optional[CellLevels] = record_field("CellLevels")
    often_visited: Optional[int] = None
    row: Optional[str] = None
    visits: Optional[List[int]] = None
    with_levels: Optional[int] = None
    within_a_process: Optional[bool] = None


@dataclass
class Unavailable(Record):
    """A placement that this machine cannot have."""

    placement: Optional[str] = None
    why: Optional[PlacementRefusal] = record_field("PlacementRefusal")


@dataclass
class UndeterminedSpread(Record):
    """A row and kernel without best weights."""

    code: Optional[str] = None
    gain_ci95: Optional[List[float]] = None
    kernel: Optional[str] = None
    leading: Optional[str] = None
    node: Optional[int] = None
    nodes: Optional[List[int]] = None
    row: Optional[int] = None


@dataclass
class Variable(Record):
    """An environment variable and its values."""

    name: Optional[str] = None
    values: Optional[List[str]] = None


@dataclass
class Warning(Record):
    """One disturbance."""

    above: Optional[int] = None
    again_bytes_per_s: Optional[float] = None
    aim: Optional[float] = None
    attempts: Optional[int] = None
    average: Optional[float] = None
    budget_s: Optional[float] = None
    cells: Optional[int] = None
    code: Optional[str] = None
    column: Optional[str] = None
    counted: Optional[str] = None
    cpus: Optional[Any] = None
    differing: Optional[int] = None
    dropped: Optional[int] = None
    events: Optional[str] = None
    expected: Optional[str] = None
    expected_bytes_per_s: Optional[float] = None
    fewest_visits: Optional[int] = None
    first_bytes_per_s: Optional[float] = None
    governors: Optional[List[str]] = None
    imprecise: Optional[int] = None
    instrument: Optional[str] = None
    instruments: Optional[Any] = None
    judged: Optional[int] = None
    kernel: Optional[str] = None
    largest: Optional[float] = None
    levels: Optional[CellLevels] = record_field("CellLevels")
    name: Optional[str] = None
    nodes: Optional[int] = None
    note: Optional[str] = None
    often_visited: Optional[int] = None
    pages: Optional[int] = None
    pairs: Optional[int] = None
    periods: Optional[int] = None
    remote_share: Optional[float] = None
    rounds: Optional[int] = None
    row: Optional[str] = None
    samples: Optional[int] = None
    share: Optional[float] = None
    thp_enabled: Optional[str] = None
    threads: Optional[int] = None
    throttled_us: Optional[int] = None
    times: Optional[float] = None
    unmeasured: Optional[int] = None
    visits: Optional[List[int]] = None
    why: Optional[str] = None
    with_levels: Optional[int] = None
    within_a_process: Optional[bool] = None
    worst: Optional[float] = None


@dataclass
class WitnessReport(Record):
    """One witness, and what it reports."""

    heard: Optional[str] = None
    says: Optional[List[WitnessStatement]] = record_field("WitnessStatement")
    witness: Optional[str] = None


@dataclass
class WitnessStatement(Record):
    """One statement of a witness."""

    bytes: Optional[int] = None
    code: Optional[str] = None
    cpus: Optional[int] = None
    cpus_online: Optional[int] = None
    distances: Optional[bool] = None
    domains: Optional[int] = None
    filled: Optional[int] = None
    hypervisor: Optional[str] = None
    line: Optional[int] = None
    memory: Optional[NodeMemoryShare] = record_field("NodeMemoryShare")
    messages: Optional[int] = None
    name: Optional[str] = None
    names: Optional[List[str]] = None
    node: Optional[int] = None
    nodes: Optional[Any] = None
    offline: Optional[str] = None
    packages: Optional[int] = None
    parameters: Optional[List[str]] = None
    path: Optional[str] = None
    ranges: Optional[int] = None
    slots: Optional[int] = None
    sockets: Optional[int] = None
    tables: Optional[List[str]] = None
    text: Optional[str] = None
    why: Optional[str] = None
    words: Optional[List[str]] = None
