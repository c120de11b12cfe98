//! The names of existing devices that are most similar to a name that does not exist.

use super::CLASSES;
use super::device_word::{DeviceWord, label};
use crate::inventory::{DeviceKind, Inventory, InventoryScope};
use crate::source::Source;

/// Names in an error at most.
const MOST: usize = 5;

/// "did you mean gpu:0 or gpu:1?", or what there is instead.
pub(super) fn sentence(source: &Source, word: &DeviceWord, asked: &str) -> String {
    let kind = match word {
        DeviceWord::Label(kind, _) | DeviceWord::NameOfKind(kind, _) => Some(*kind),
        DeviceWord::Name(name) => label(name).map(|(kind, _)| kind),
        _ => None,
    };
    let mut fitting = candidates(source, &Inventory::read(source, InventoryScope::Usual));
    fitting.retain(|one| kind.is_none_or(|kind| one.kind == kind));
    fitting.sort_by_cached_key(|one| one.distance(asked));
    let bare = asked.rsplit_once(':').filter(|_| kind.is_some()).map_or(asked, |(_, name)| name);
    let most = (bare.chars().count() / 3).max(2);
    let similar = fitting.partition_point(|one| one.distance(asked) <= most);
    let found = match kind {
        _ if similar > 0 => format!("did you mean {}?", names(&fitting[..similar], " or ")),
        _ if !fitting.is_empty() => format!("there are {};", names(&fitting, ", ")),
        Some(kind) => format!("this machine has no device of the kind {};", kind.word()),
        None => "this machine has no device;".to_owned(),
    };
    let file = if is_file(source, asked) {
        format!("; for the file of this name write ./{asked}")
    } else {
        String::new()
    };
    format!("{found} 'nearfar devices' lists all{file}")
}

fn names(candidates: &[Candidate], separator: &str) -> String {
    let mut names: Vec<&str> = candidates.iter().map(|candidate| candidate.name.as_str()).collect();
    names.dedup();
    let more = if names.len() > MOST && separator == ", " { ", ..." } else { "" };
    names.truncate(MOST);
    names.join(separator) + more
}

struct Candidate {
    kind: DeviceKind,
    /// As a user may write it.
    name: String,
    short: String,
}

impl Candidate {
    /// The edit distance to what was asked for.
    fn distance(&self, asked: &str) -> usize {
        let asked = asked.to_lowercase();
        let to = |name: &str| strsim::damerau_levenshtein(&asked, &name.to_lowercase());
        to(&self.name).min(to(&self.short)).min(to(&self.name.replacen(':', "", 1)))
    }
}

fn candidates(source: &Source, inventory: &Inventory) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (device, label) in inventory.devices.iter().zip(inventory.labels()) {
        let number = label.trim_start_matches(|c: char| !c.is_ascii_digit());
        let name = format!("{}:{number}", device.kind.word());
        all.push(Candidate { kind: device.kind, short: label, name });
        let kind = device.kind;
        all.extend(device.address.map(|address| {
            let name = address.to_string();
            let short = name.strip_prefix("0000:").unwrap_or(&name).to_owned();
            Candidate { kind, name, short }
        }));
    }
    for (kind, folder) in CLASSES {
        let names = source.list(folder).into_iter().filter(|name| is_shown(source, folder, name));
        all.extend(names.map(|short| Candidate {
            kind,
            name: format!("{}:{short}", kind.word()),
            short,
        }));
    }
    all
}

/// Connectors of cards, interfaces of USB devices, software interfaces, and unused block devices
/// are no help.
fn is_shown(source: &Source, folder: &str, name: &str) -> bool {
    match folder {
        "/sys/class/net" => name != "bonding_masters" && has_hardware(source, folder, name),
        "/sys/class/drm" => !name.contains('-') && name != "version",
        "/sys/bus/usb/devices" => name.starts_with("usb"),
        "/sys/bus/cxl/devices" => name.starts_with("mem"),
        "/sys/class/block" => {
            let size = source.text(&format!("{folder}/{name}/size"));
            size.as_deref() != Some("0") && !name.starts_with("ram") && !name.starts_with("zram")
        }
        _ => true,
    }
}

/// Whether an interface is hardware, or on top of others.
fn has_hardware(source: &Source, folder: &str, name: &str) -> bool {
    let entry = format!("{folder}/{name}");
    let is_virtual =
        source.real_path(&entry).is_some_and(|real| real.starts_with("/sys/devices/virtual/"));
    !is_virtual || source.list(&entry).iter().any(|entry| entry.starts_with("lower_"))
}

fn is_file(source: &Source, asked: &str) -> bool {
    source.is_live() && !asked.contains(['/', ':']) && std::path::Path::new(asked).exists()
}
