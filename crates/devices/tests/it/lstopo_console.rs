//! PCI functions in the text of lstopo, which shows a tree by indentation.

use nearfar_machine::PciAddress;
use nearfar_model::{CpuId, CpuSet};

use crate::lstopo::{ShownFunction, ShownHostBridge, root_bus};

/// All functions, bridges included.
pub(crate) fn functions(text: &str) -> Vec<ShownFunction> {
    let lines: Vec<Line<'_>> = text.lines().map(Line::new).collect();
    (0..lines.len()).filter_map(|index| function(&lines, index)).collect()
}

struct Line<'a> {
    indent: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn new(line: &'a str) -> Self {
        let text = line.trim_start();
        Self { indent: line.len() - text.len(), text }
    }

    /// The value of "key=value" among values in parentheses.
    fn value(&self, key: &str) -> Option<&'a str> {
        let values = self.text.split_once('(')?.1.split(' ');
        let value =
            values.filter_map(|value| value.split_once('=')).find(|(name, _)| *name == key)?.1;
        Some(value.trim_end_matches(')'))
    }

    fn address(&self) -> Option<PciAddress> {
        let is_function = self.text.starts_with("PCI L#") || self.text.starts_with("PCIBridge");
        is_function.then(|| PciAddress::parse(self.value("busid")?).ok())?
    }
}

fn function(lines: &[Line<'_>], index: usize) -> Option<ShownFunction> {
    let line = &lines[index];
    let address = line.address()?;
    let above: Vec<usize> =
        std::iter::successors(parent(lines, index), |&at| parent(lines, at)).collect();
    let host_bridge = *above.iter().find(|&&at| lines[at].text.starts_with("HostBridge"))?;
    // "class=0207(InfiniBand)"
    let class = line.value("class")?.split('(').next()?;
    Some(ShownFunction {
        address,
        class: u32::from_str_radix(class, 16).unwrap(),
        id: line.value("id")?.to_owned(),
        bridges: above.iter().rev().filter_map(|&at| lines[at].address()).collect(),
        host_bridge: ShownHostBridge {
            root_bus: root_bus(lines[host_bridge].value("buses")?),
            cpus: cpus_below(lines, parent(lines, host_bridge)?),
        },
    })
}

fn parent(lines: &[Line<'_>], index: usize) -> Option<usize> {
    (0..index).rev().find(|&above| lines[above].indent < lines[index].indent)
}

/// The CPUs of an object: "PU L#5 (P#21)".
fn cpus_below(lines: &[Line<'_>], index: usize) -> CpuSet {
    let below = lines[index + 1..].iter().take_while(|line| line.indent > lines[index].indent);
    let cpus = below.filter(|line| line.text.starts_with("PU L#")).map(|line| {
        let number = line.text.split_once("P#").unwrap().1.trim_end_matches(')');
        CpuId(number.parse().unwrap())
    });
    cpus.collect()
}
