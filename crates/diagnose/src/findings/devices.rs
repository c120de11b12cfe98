//! Devices: PCI buses without a node in firmware, and the findings of nearfar-devices.

use nearfar_devices::{ClaimedNode, Device, DeviceFinding, DevicesDocument, Lanes, NodeWitness};
use nearfar_firmware::linux::LogEventKind;

use super::FindingInput;
use crate::document::{DiagnosisFinding, Evidence, FindingDetail};
use crate::{codes, evidence};

const CODE: &str = "pci-without-node";

/// The kernel's log lines about such buses. With one node they have no effect, and the kernel logs
/// none.
pub(super) fn without_node(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let without = |kind: &LogEventKind| matches!(kind, LogEventKind::PciWithoutNode { .. });
    let mut lines =
        seen.witnesses.log.events.iter().filter(|event| without(&event.kind)).peekable();
    lines.peek()?;
    let mut finding = DiagnosisFinding::new(CODE, codes::severity(CODE));
    finding.evidence.extend(lines.take(4).map(|event| evidence::event(seen.witnesses, event)));
    finding.advice = codes::advice(CODE, seen.facts);
    Some(finding)
}

/// What is known of the devices themselves, one finding for each code. The log's lines about buses
/// are not repeated.
pub(super) fn for_devices(
    seen: FindingInput<'_>,
    document: &DevicesDocument,
) -> Vec<DiagnosisFinding> {
    let mut findings: Vec<DiagnosisFinding> = Vec::new();
    let logged = without_node(seen).is_some();
    let repeats =
        |found: &&DeviceFinding| logged && matches!(found, DeviceFinding::DeviceWithoutNode { .. });
    for found in document.findings.iter().filter(|found| !repeats(found)) {
        let joined = DiagnosisFinding {
            evidence: evidence_of(found, document),
            advice: codes::advice(found.code(), seen.facts),
            what: Some(FindingDetail::Device { finding: found.clone() }),
            ..DiagnosisFinding::new(found.code(), codes::severity(found.code()))
        };
        DiagnosisFinding::join(&mut findings, joined);
    }
    findings
}

/// A quotation of sysfs for each device of a finding, of its link or of its node, after that of the
/// output that it contradicts.
fn evidence_of(finding: &DeviceFinding, document: &DevicesDocument) -> Vec<Evidence> {
    const MOST: usize = 8;
    if let Some(above) = finding.link_above() {
        let place = format!("{}, current_link_* of max_link_*", above.bridge);
        return finding
            .link()
            .map(|link| Evidence::new("sysfs", place, for_link(link)))
            .into_iter()
            .collect();
    }
    let named = |label: &String| document.devices.iter().find(|device| device.label == *label);
    let quoted = |device: &Device| {
        let place = device.address.clone().unwrap_or_else(|| device.names.join(", "));
        let (file, content) = match (finding, device.link) {
            (
                DeviceFinding::LinkNarrow { .. }
                | DeviceFinding::PortNarrow { .. }
                | DeviceFinding::LinkSlow { .. },
                Some(link),
            ) => ("current_link_* of max_link_*", for_link([link.now, link.device_max])),
            _ => ("numa_node", for_node(device)),
        };
        Evidence::new("sysfs", format!("{} ({place}), {file}", device.label), content)
    };
    let by_smi = match finding {
        DeviceFinding::SmiPlaceDiffers { device, column, by_witness, .. } => {
            Some(Evidence::new("nvidia-smi", format!("{device}, {}", column.head()), by_witness))
        }
        _ => None,
    };
    let devices = finding.devices();
    by_smi.into_iter().chain(devices.iter().filter_map(named).take(MOST).map(quoted)).collect()
}

/// What sysfs has, not what follows from all witnesses.
fn for_node(device: &Device) -> String {
    let mut claims = device.node.claims.iter();
    let claim = claims.find(|claim| claim.witness == NodeWitness::Sysfs);
    match claim.map(|claim| claim.claimed) {
        Some(ClaimedNode::Node { node }) => node.to_string(),
        Some(ClaimedNode::NoNode) => "-1".to_owned(),
        Some(ClaimedNode::NotReadable) => "not readable".to_owned(),
        Some(ClaimedNode::Malformed) => "malformed".to_owned(),
        _ => "absent".to_owned(),
    }
}

fn for_link([now, most]: [Lanes; 2]) -> String {
    let part = |lanes: Lanes| {
        let width = lanes.lanes.map(|lanes| format!("x{lanes}"));
        let speed = lanes.gt_s.map(|gt_s| format!("{gt_s} GT/s"));
        width.into_iter().chain(speed).collect::<Vec<_>>().join(", ")
    };
    format!("{} of {}", part(now), part(most))
}
