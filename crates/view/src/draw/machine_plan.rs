//! A machine drawn so that its owner recognises it: packages, dies, cache groups, nodes and what
//! connects them.

mod boxes;
mod branch;
mod cache;
mod cpu_lines;
mod device;
mod drawing;
mod kinds;
mod node;
mod routes;
mod slots;
mod terminal;

use nearfar_model::CpuSet;

use crate::draw::{Drawing, FigureTable, Heading, Picture, PlanLink, Screen};
use crate::text::{IN_A_LINE, short_list};

pub use device::{DeviceBranch, DeviceShape, PlanDevice};
pub(crate) use terminal::written;

/// Between a node's name and what is known of it.
const BETWEEN: &str = " · ";

/// The columns of its table, before interrupts.
const COLUMNS: [&str; 10] =
    ["node", "package", "memory", "die", "CPUs", "cores", "cache", "device", "link", "below"];

/// A machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachinePlan {
    /// Title and description.
    pub heading: Heading,
    /// Its packages, in order.
    pub packages: Vec<PlanPackage>,
    /// Nodes that have no CPUs (expanders) or whose package is unknown.
    pub apart: Vec<PlanNode>,
    /// Devices whose node or package is unknown, under titles.
    pub elsewhere: Vec<PlanNode>,
    /// Slots for memory whose package is unknown.
    pub slots: Vec<PlanSlot>,
    /// What connects its nodes.
    pub links: Vec<PlanLink>,
}

/// What sits in a socket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanPackage {
    /// "package 0".
    pub name: String,
    /// Its nodes; CPUs stand in their node.
    pub nodes: Vec<PlanNode>,
    /// Its slots for memory.
    pub slots: Vec<PlanSlot>,
}

/// A slot for a memory module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanSlot {
    /// The board's name of it.
    pub name: String,
    /// "32 GiB", "size unknown"; nothing where it is empty.
    pub size: String,
}

/// A node, or the whole memory where there is only one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanNode {
    /// Its number as links name it.
    pub id: u32,
    /// "node 0".
    pub name: String,
    /// "64 GiB", "no memory"; empty where it is no node.
    pub memory: String,
    /// More about its memory and CPUs: "side cache 2 GiB".
    pub facts: Vec<String>,
    /// The dies in it; one without a name where nothing is known of dies.
    pub dies: Vec<Die>,
    /// Devices at this node, by root bus.
    pub devices: Vec<DeviceBranch>,
    /// The interrupts that its CPUs serve, if they are known.
    pub interrupts: Option<PlanInterrupts>,
}

/// A die of a package.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Die {
    /// "die 0", or nothing.
    pub name: String,
    /// CPUs that share a last cache.
    pub groups: Vec<CacheGroup>,
}

/// CPUs that share a last cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheGroup {
    /// Its CPUs.
    pub cpus: CpuSet,
    /// How many cores it has (drawn as small squares).
    pub cores: usize,
    /// The cache: "L3 8 MiB".
    pub cache: String,
    /// What is below it, to be drawn; empty where it is not known which CPUs share which caches.
    pub below: Vec<CachePart>,
    /// The caches below it in words, by the CPUs that have them: "each core: L2 1 MiB, L1d 32 KiB".
    pub inner: Vec<String>,
}

/// A cache below the last level, or a core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CachePart {
    /// "L2 1 MiB"; nothing for a core.
    pub cache: String,
    /// "E-cores", of the uppermost part, where the machine has several kinds.
    pub kind: String,
    /// The CPUs that share it, or the core's.
    pub cpus: CpuSet,
    /// What is below; nothing for a core.
    pub below: Vec<CachePart>,
}

impl Picture for MachinePlan {
    fn heading(&self) -> &Heading {
        &self.heading
    }

    fn heading_mut(&mut self) -> &mut Heading {
        &mut self.heading
    }

    fn drawing(&self) -> Drawing {
        drawing::drawn(self)
    }

    /// A row a cache group, or a node that has none; then rows of devices, slots and links.
    fn table(&self) -> FigureTable {
        let in_packages = self
            .packages
            .iter()
            .flat_map(|package| package.nodes.iter().map(move |node| (&*package.name, node)));
        let apart = self.apart.iter().chain(&self.elsewhere);
        let nodes = in_packages.chain(apart.map(|node| ("", node)));
        let mut rows: Vec<Vec<String>> =
            nodes.flat_map(|(package, node)| node.rows(package)).collect();
        let of_packages = self.packages.iter();
        let slots = of_packages.map(|package| (&*package.name, &package.slots));
        for (package, slots) in slots.chain([("", &self.slots)]) {
            rows.extend(slots.iter().map(|slot| slot.row(package)));
        }
        rows.extend(self.links.iter().map(|link| {
            let mut row = vec![format!("link {}", link.text())];
            row.resize(COLUMNS.len() + 1, String::new());
            row
        }));
        if rows.iter().any(|row| row.last().is_some_and(|cell| !cell.is_empty())) {
            return FigureTable::new(&[&COLUMNS[..], &["interrupts"]].concat(), rows);
        }
        rows.iter_mut().for_each(|row| row.truncate(COLUMNS.len()));
        FigureTable::new(&COLUMNS, rows)
    }

    fn in_terminal(&self, screen: &Screen) -> Option<String> {
        Some(terminal::shown(self, screen))
    }
}

impl PlanNode {
    /// "node 0 · 64 GiB".
    fn titled(&self) -> String {
        let memory = (!self.memory.is_empty()).then_some(&*self.memory);
        [&*self.name].into_iter().chain(memory).collect::<Vec<_>>().join(BETWEEN)
    }

    fn groups(&self) -> impl Iterator<Item = &CacheGroup> {
        self.dies.iter().flat_map(|die| &die.groups)
    }

    /// "node 4 · 32 GiB · no CPUs".
    fn titled_with_cpus(&self) -> String {
        [&*self.name].into_iter().chain(self.title_facts()).collect::<Vec<_>>().join(BETWEEN)
    }

    /// What stands after the name in the title: "32 GiB", "no CPUs". Nothing where it is no node.
    fn title_facts(&self) -> impl Iterator<Item = &str> {
        let memory = (!self.memory.is_empty()).then_some(&*self.memory);
        let without = memory.is_some() && self.groups().next().is_none();
        memory.into_iter().chain(without.then_some("no CPUs"))
    }

    /// Rows of the table: its cache groups, then its devices.
    fn rows(&self, package: &str) -> Vec<Vec<String>> {
        let mut groups: Vec<(&str, Option<&CacheGroup>)> = self
            .dies
            .iter()
            .flat_map(|die| die.groups.iter().map(|group| (&*die.name, Some(group))))
            .collect();
        if groups.is_empty() && !self.memory.is_empty() {
            groups.push(("", None));
        }
        let served = self.interrupts.as_ref().map_or("", |served| served.text.as_str());
        // The node's are in its first row.
        let served = std::iter::once(served).chain(std::iter::repeat(""));
        let memory = std::iter::once(&self.memory).chain(&self.facts).map(String::as_str);
        let memory = memory.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let groups = groups.into_iter().zip(served).map(|((die, group), served)| {
            let [cpus, cores, cache] = group.map_or_else(no_cpus, CacheGroup::in_table);
            let cells =
                [&self.name, package, &memory, die, &cpus, &cores, &cache, "", "", "", served];
            cells.map(str::to_owned).to_vec()
        });
        let devices = self.devices.iter().flat_map(|branch| branch.listed(""));
        let devices = devices.map(|(below, device)| {
            let (title, link) = (device.title(), device.link_text());
            let interrupts = device.interrupts_text();
            let cells =
                [&self.name, package, "", "", "", "", "", &*title, &*link, &*below, interrupts];
            cells.map(str::to_owned).to_vec()
        });
        groups.chain(devices).collect()
    }
}

impl CacheGroup {
    /// "0-5,48-53", cut where the list is long.
    fn list(&self) -> String {
        short_list(&self.cpus, IN_A_LINE)
    }

    /// CPUs, cores and caches.
    fn in_table(&self) -> [String; 3] {
        let cores = if self.cores == 0 { String::new() } else { self.cores.to_string() };
        let caches = std::iter::once(&self.cache).chain(&self.inner).map(String::as_str);
        let caches = caches.filter(|part| !part.is_empty()).collect::<Vec<_>>();
        [self.list(), cores, caches.join("; ")]
    }
}

/// The same of a node without CPUs.
fn no_cpus() -> [String; 3] {
    ["none".to_owned(), String::new(), String::new()]
}

impl PlanSlot {
    fn row(&self, package: &str) -> Vec<String> {
        let size = if self.size.is_empty() { "empty" } else { &self.size };
        let name = format!("memory slot {}", self.name);
        let mut row = vec![String::new(), package.to_owned(), size.to_owned()];
        row.resize(7, String::new());
        row.push(name);
        row.resize(COLUMNS.len() + 1, String::new());
        row
    }
}

/// How many interrupts there are, and where they are served.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanInterrupts {
    /// "1.2k/s near", "890/s, 45 % far".
    pub text: String,
    /// Whether most are far: the text has the colour of marks. The text states it, too.
    pub is_far: bool,
}

impl PlanInterrupts {
    fn class(&self) -> &'static str {
        if self.is_far { "mt" } else { "q" }
    }
}
