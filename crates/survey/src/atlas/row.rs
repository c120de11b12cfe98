//! A row of the atlas, and what makes one wrong. The build script checks `atlas.toml` with this
//! file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// One source's figures of one machine in one mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AtlasRow {
    /// Unique in the atlas.
    pub id: String,
    /// The CPU as its vendor names it: "Intel Xeon Platinum 8280".
    pub cpu: String,
    /// Its generation: "Cascade Lake-SP".
    pub family: String,
    /// Packages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sockets: Option<usize>,
    /// Nodes as the kernel shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
    /// The mode in the source's words: "NPS4", "SNC2", "coherence: directory".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Whether memory is interleaved over packages, or all of it is behind one node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interleaved: bool,
    /// Nodes of each package, where the source gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes_per_socket: Option<usize>,
    /// Whether a hypervisor was below.
    pub platform: Platform,
    /// Memory in the source's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Memory channels in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels_per_socket: Option<u32>,
    /// Transfers of each channel, in millions a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfers_mt_s: Option<u32>,
    /// The program, with its release and options.
    pub tool: String,
    /// How it measures.
    pub method: Method,
    /// The address of the source.
    pub source: String,
    /// Whether the figures were compared with the source once more.
    pub read_again: bool,
    /// Year, or year and month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What else the source gives, or what is odd about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Of `latency_ns`: which nodes its columns are; all in order where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_nodes: Option<Vec<usize>>,
    /// Latency of the idle machine: CPUs of each node (rows) at memory of each (columns).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<Vec<Vec<f64>>>,
    /// Latency of local memory, where the source has no matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_ns: Option<Span>,
    /// Latency of remote memory, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_ns: Option<Span>,
    /// Read bandwidth, as `latency_ns`; 10^9 bytes, as all bandwidths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth_gb_s: Option<Vec<Vec<f64>>>,
    /// Read bandwidth of local memory, of one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_gb_s: Option<Span>,
    /// Read bandwidth of remote memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_gb_s: Option<Span>,
    /// Read bandwidth of the whole machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_gb_s: Option<Span>,
    /// Read bandwidth of one package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket_gb_s: Option<Span>,
    /// Read bandwidth of one memory domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain_gb_s: Option<Span>,
    /// Triad of one memory domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain_triad_gb_s: Option<Span>,
    /// Bandwidth of one core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_gb_s: Option<Span>,
    /// Bandwidth of one core from remote memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_remote_gb_s: Option<Span>,
    /// STREAM's best figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_gb_s: Option<Span>,
    /// Of tinymembench: time of a random read beyond that of the first cache, base pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub small_pages_beyond_l1_ns: Option<Span>,
    /// The same with huge pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_pages_beyond_l1_ns: Option<Span>,
    /// A line from core to core, by what the two share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_to_core_ns: Option<BTreeMap<String, Span>>,
}

/// Whether a hypervisor was below.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Platform {
    /// None, as the source shows or the test needs.
    BareMetal,
    /// There was one.
    Guest,
    /// The source does not give it.
    #[default]
    Unknown,
}

/// How a figure was measured. Figures of different methods differ by up to 40 %.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// nearfar's own.
    Nearfar,
    /// A random chase on huge pages, as nearfar's.
    RandomHugePages,
    /// Intel's Memory Latency Checker: sequential, prefetchers off.
    Mlc,
    /// The same at random, pages unknown.
    MlcRandom,
    /// Another chase of pointers, pages unknown.
    PointerChase,
    /// A chase from which the cost of the TLB is subtracted.
    Mess,
    /// A regular stride, which prefetchers follow: too low.
    Lmbench,
    /// Time beyond that of the first cache.
    Tinymembench,
    /// SiSoft Sandra.
    Sandra,
    /// Bandwidth of likwid-bench's kernel "load".
    LikwidLoad,
    /// STREAM.
    Stream,
    /// A line handed from core to core.
    #[default]
    CoreToCore,
}

/// A figure, or the lowest and the highest of several.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Span {
    /// One figure.
    One(f64),
    /// Lowest and highest.
    Both([f64; 2]),
}

impl Span {
    /// Lowest and highest.
    pub fn ends(self) -> [f64; 2] {
        match self {
            Self::One(value) => [value; 2],
            Self::Both(ends) => ends,
        }
    }

    /// Of one figure or more.
    pub fn around(values: &[f64]) -> Option<Self> {
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        Some(if low < high { Self::Both([low, high]) } else { Self::One(low) })
    }
}

impl Method {
    /// As in `atlas.toml`, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nearfar => "nearfar",
            Self::RandomHugePages => "random, huge pages",
            Self::Mlc => "MLC",
            Self::MlcRandom => "MLC, random",
            Self::PointerChase => "pointer chase",
            Self::Mess => "Mess",
            Self::Lmbench => "lmbench",
            Self::Tinymembench => "tinymembench",
            Self::Sandra => "Sandra",
            Self::LikwidLoad => "likwid-bench",
            Self::Stream => "STREAM",
            Self::CoreToCore => "core to core",
        }
    }

    /// Whether it is nearfar's own method: then figures agree within 10 %.
    pub const fn is_nearfars(self) -> bool {
        matches!(self, Self::Nearfar | Self::RandomHugePages)
    }

    /// Whether its latencies lie beside nearfar's, however roughly.
    pub const fn is_comparable(self) -> bool {
        matches!(
            self,
            Self::Nearfar
                | Self::RandomHugePages
                | Self::Mlc
                | Self::MlcRandom
                | Self::PointerChase
                | Self::Mess
        )
    }
}

impl AtlasRow {
    /// Latency of local memory.
    pub fn local(&self) -> Option<Span> {
        self.local_ns.or_else(|| Span::around(&self.cells(|row, column| row == column)))
    }

    /// Latency of remote memory.
    pub fn remote(&self) -> Option<Span> {
        self.remote_ns.or_else(|| Span::around(&self.cells(|row, column| row != column)))
    }

    /// Read bandwidth of local memory, of one node.
    pub fn local_bandwidth(&self) -> Option<Span> {
        let matrix = self.bandwidth_gb_s.iter().flatten().enumerate();
        let diagonal: Vec<f64> = matrix.filter_map(|(at, row)| row.get(at).copied()).collect();
        self.local_gb_s.or_else(|| Span::around(&diagonal))
    }

    /// Of its matrix those cells whose nodes are wanted.
    fn cells(&self, is_wanted: impl Fn(usize, usize) -> bool) -> Vec<f64> {
        let mut found = Vec::new();
        for (row, costs) in self.latency_ns.iter().flatten().enumerate() {
            for (at, ns) in costs.iter().enumerate() {
                let column = self.memory_nodes.as_ref().map_or(at, |nodes| nodes[at]);
                found.extend(is_wanted(row, column).then_some(*ns));
            }
        }
        found
    }

    /// What a package's channels could deliver, in GB/s.
    pub fn theoretical_gb_s(&self) -> Option<f64> {
        const BYTES_OF_A_TRANSFER: f64 = 8.0;
        let (channels, transfers) = (self.channels_per_socket?, self.transfers_mt_s?);
        Some(f64::from(channels) * f64::from(transfers) * BYTES_OF_A_TRANSFER / 1000.0)
    }

    /// Every figure that it has, with its field.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        let spans = [
            ("local_ns", self.local_ns),
            ("remote_ns", self.remote_ns),
            ("local_gb_s", self.local_gb_s),
            ("remote_gb_s", self.remote_gb_s),
            ("machine_gb_s", self.machine_gb_s),
            ("socket_gb_s", self.socket_gb_s),
            ("domain_gb_s", self.domain_gb_s),
            ("domain_triad_gb_s", self.domain_triad_gb_s),
            ("core_gb_s", self.core_gb_s),
            ("core_remote_gb_s", self.core_remote_gb_s),
            ("stream_gb_s", self.stream_gb_s),
            ("small_pages_beyond_l1_ns", self.small_pages_beyond_l1_ns),
            ("huge_pages_beyond_l1_ns", self.huge_pages_beyond_l1_ns),
        ];
        let spans = spans.into_iter().filter_map(|(name, span)| Some((name, span?)));
        let core_to_core = self.core_to_core_ns.iter().flatten();
        let core_to_core = core_to_core.map(|(_, span)| ("core_to_core_ns", *span));
        let ends = |(name, span): (&'static str, Span)| span.ends().map(|end| (name, end));
        let mut all: Vec<(&str, f64)> = spans.chain(core_to_core).flat_map(ends).collect();
        for (name, matrix) in
            [("latency_ns", &self.latency_ns), ("bandwidth_gb_s", &self.bandwidth_gb_s)]
        {
            all.extend(matrix.iter().flatten().flatten().map(|figure| (name, *figure)));
        }
        all
    }
}

/// The rows of a text in TOML; what is wrong with it, in a line.
pub(crate) fn parse(text: &str) -> Result<Vec<AtlasRow>, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        row: Vec<AtlasRow>,
    }
    let file: File = toml::from_str(text).map_err(|error| {
        let line = text[..error.span().map_or(0, |span| span.start)].matches('\n').count() + 1;
        format!("line {line}: {}", error.message().replace('\n', " "))
    })?;
    file.row.iter().try_for_each(check)?;
    check_published(&file.row)?;
    Ok(file.row)
}

/// What published rows have beyond the shape of a row: an address, and an id of their own.
fn check_published(rows: &[AtlasRow]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for row in rows {
        let at = |why: &str| Err(format!("row '{}': {why}", row.id));
        if !seen.insert(&row.id) {
            return at("another row has this id");
        }
        if !["http://", "https://"].iter().any(|start| row.source.starts_with(start)) {
            return at("source is no address: write where the figures are published");
        }
    }
    Ok(())
}

/// Whether the figures of a row have a shape.
fn check(row: &AtlasRow) -> Result<(), String> {
    let id = if row.id.is_empty() { "without id" } else { &row.id };
    let wrong = |why: String| Err(format!("row '{id}': {why}"));
    for (field, text) in
        [("id", &row.id), ("cpu", &row.cpu), ("family", &row.family), ("tool", &row.tool)]
    {
        if text.trim().is_empty() {
            return wrong(format!("{field} is empty"));
        }
    }
    let figures = row.figures();
    if figures.is_empty() {
        return wrong("it has no figure".to_owned());
    }
    let limits = |field: &str| if field.ends_with("_ns") { [1.0, 5000.0] } else { [0.1, 20_000.0] };
    if let Some((field, value)) = figures.iter().find(|(field, value)| {
        let [low, high] = limits(field);
        !(low..=high).contains(value)
    }) {
        return wrong(format!("{field} is {value}: check its unit"));
    }
    for (field, matrix) in
        [("latency_ns", &row.latency_ns), ("bandwidth_gb_s", &row.bandwidth_gb_s)]
    {
        let Some(matrix) = matrix else { continue };
        let columns = row.memory_nodes.as_ref().map_or(matrix.len(), Vec::len);
        if row.nodes.is_some_and(|nodes| nodes != matrix.len()) {
            return wrong(format!("{field} has {} rows, other than nodes", matrix.len()));
        }
        if matrix.iter().any(|cells| cells.len() != columns) {
            return wrong(format!("{field} has rows of other lengths than {columns}"));
        }
    }
    match (row.sockets, row.nodes, row.nodes_per_socket) {
        (Some(sockets), Some(nodes), Some(each)) if sockets * each != nodes => {
            wrong(format!("{nodes} nodes are not {sockets} sockets of {each}"))
        }
        _ => Ok(()),
    }
}
