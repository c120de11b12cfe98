//! What a word of `--near` names, independent of the machine.

use crate::attribute::shorten;
use crate::device_node::ListedDevice;
use crate::error::MachineError;
use crate::inventory::DeviceKind;
use crate::pci::PciAddress;

#[derive(Debug, PartialEq)]
pub(super) enum DeviceWord {
    /// One of numactl's forms.
    Listed(ListedDevice),
    Path(String),
    Address(PciAddress),
    /// A kind, and its number in the inventory.
    Label(DeviceKind, usize),
    /// A kind, and a kernel name.
    NameOfKind(DeviceKind, String),
    /// A kernel name or a label.
    Name(String),
}

impl DeviceWord {
    /// Parses words separated by commas. `file_exists` decides where a path with commas ends.
    pub(super) fn parse_list(
        list: &str,
        file_exists: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, Self)>, MachineError> {
        let mut words = Vec::new();
        let mut rest = Some(list);
        while let Some(text) = rest {
            let (word, after) = first(text, &file_exists);
            let word = word.trim();
            let parsed = Self::parse(word)
                .map_err(|why| MachineError::MalformedDevice { word: shorten(word), why })?;
            words.push((word.to_owned(), parsed));
            rest = after;
        }
        Ok(words)
    }

    fn parse(word: &str) -> Result<Self, String> {
        if word.is_empty() {
            return Err("a device is missing".to_owned());
        }
        if let Some(device) = ListedDevice::parse(word)? {
            return Ok(Self::Listed(device));
        }
        if word.contains('/') || matches!(word, "." | "..") {
            return Ok(Self::Path(word.to_owned()));
        }
        if let Some((kind, name)) = word.split_once(':') {
            if let Some(kind) = DeviceKind::from_word(kind.trim()) {
                return for_kind(kind, name.trim());
            }
            return PciAddress::parse(word).map(Self::Address).map_err(|_| {
                "it is neither a kind and a name (gpu:0, nic:eth0, disk:nvme0n1) nor a PCI \
                 address (0000:3b:00.0)"
                    .to_owned()
            });
        }
        Ok(Self::Name(word.to_owned()))
    }
}

fn for_kind(kind: DeviceKind, name: &str) -> Result<DeviceWord, String> {
    let is_number = name.bytes().all(|b| b.is_ascii_digit());
    match name {
        "" | "." | ".." => Err("it names no device after the kind".to_owned()),
        _ if is_number => name
            .parse()
            .map(|number| DeviceWord::Label(kind, number))
            .map_err(|_| format!("{name} is too large a number")),
        _ => Ok(DeviceWord::NameOfKind(kind, name.to_owned())),
    }
}

/// The kind and the number of a label such as `GPU0`, in any letters.
pub(super) fn label(word: &str) -> Option<(DeviceKind, usize)> {
    let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (kind, number) = word.split_at(word.len() - digits);
    Some((DeviceKind::from_word(kind)?, number.parse().ok()?))
}

/// The first word, and the text after its comma. Paths may have commas: the longest existing one is
/// used.
fn first(text: &str, file_exists: impl Fn(&str) -> bool) -> (&str, Option<&str>) {
    let path = text.trim_start().strip_prefix("file:").unwrap_or(text.trim_start());
    let start = text.len() - path.len();
    let mut ends: Vec<usize> = text.match_indices(',').map(|(at, _)| at).collect();
    ends.push(text.len());
    let is_path = |end: &usize| {
        let path = text.get(start..*end).unwrap_or_default();
        path.contains('/') && file_exists(path)
    };
    let longest = ends.iter().rev().copied().filter(|_| path.contains('/')).find(is_path);
    let end = longest.unwrap_or(ends[0]);
    (&text[..end], text.get(end + 1..))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(list: &str) -> Result<Vec<DeviceWord>, String> {
        let words = DeviceWord::parse_list(list, |path| path == "/data/a,b" || path == "/data");
        words
            .map(|words| words.into_iter().map(|(_, word)| word).collect())
            .map_err(|error| error.to_string())
    }

    fn one(word: &str) -> DeviceWord {
        parse(word).unwrap().remove(0)
    }

    #[test]
    fn forms_are_distinguished_by_their_letters() {
        let name = str::to_owned;
        let address = PciAddress::parse("3b:00.0").unwrap();
        assert_eq!(one("gpu:0"), DeviceWord::Label(DeviceKind::Gpu, 0));
        assert_eq!(one("NIC:7"), DeviceWord::Label(DeviceKind::Network, 7));
        assert_eq!(one("nic:eth0"), DeviceWord::NameOfKind(DeviceKind::Network, name("eth0")));
        assert_eq!(one("0000:3b:00.0"), DeviceWord::Address(address));
        assert_eq!(one("3b:00.0"), DeviceWord::Address(address));
        assert_eq!(one("/dev/nvme0n1"), DeviceWord::Path(name("/dev/nvme0n1")));
        assert_eq!(one("./eth0"), DeviceWord::Path(name("./eth0")));
        assert_eq!(one("eth0"), DeviceWord::Name(name("eth0")));
        assert_eq!(one("GPU0"), DeviceWord::Name(name("GPU0")));
        assert_eq!(one("pci:3b:00.0"), DeviceWord::Listed(ListedDevice::Pci(address)));
        assert_eq!(label("disk12"), Some((DeviceKind::Disk, 12)));
        assert_eq!((label("eth0"), label("12"), label("gpu")), (None, None, None));
    }

    #[test]
    fn paths_may_have_commas() {
        let path = |path: &str| DeviceWord::Path(path.to_owned());
        assert_eq!(parse("/data/a,b,gpu:0").unwrap().len(), 2);
        assert_eq!(parse("/data/a,b").unwrap(), [path("/data/a,b")]);
        assert_eq!(parse("/data,/data").unwrap(), [path("/data"), path("/data")]);
        assert_eq!(parse("gpu:0, eth0").unwrap().len(), 2);
    }

    #[test]
    fn malformed_words_are_refused() {
        for (list, why) in [
            ("", "a device is missing"),
            ("gpu:0,", "a device is missing"),
            ("gpu:", "names no device after the kind"),
            ("netdev:", "names no device"),
            ("foo:bar", "neither a kind and a name"),
            ("nic:99999999999999999999999", "too large a number"),
        ] {
            let refusal = parse(list).unwrap_err();
            assert!(refusal.contains(why) && !refusal.contains('\n'), "{list}: {refusal}");
        }
    }

    proptest! {
        #[test]
        fn no_list_panics(list in "((gpu|nic|file|pci|disk)?:?[0-9a-zäA-Z./,: ]{0,8}){0,4}") {
            let _ = parse(&list);
            let _ = label(&list);
        }
    }
}
