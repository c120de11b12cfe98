//! The claims of an ACPI namespace as text: captures keep it, because they drop the tables' code.

use nearfar_model::ProximityDomain;

use super::super::aml::{AcpiDevice, AmlValue};
use super::AcpiNamespace;

const COMPUTED: &str = "not-evaluated";
const MALFORMED: &str = "malformed";
const UNDECODED: &str = "not-decoded";
/// Ids of host bridges of PCI and CXL. Other ids are not kept: they may identify a machine.
const HOST_BRIDGES: [&str; 3] = ["PNP0A08", "PNP0A03", "ACPI0016"];

impl AcpiNamespace {
    /// Each `_PXM`, each scope with undecoded code and each host bridge, as one line:
    ///
    /// ```text
    /// \_SB_.PC38 3
    /// \_SB_.PC40 not-evaluated
    /// \_SB_ not-decoded
    /// \_SB_.PC38 PNP0A08 uid=7 segment=0 bus=56
    /// ```
    pub fn claims_text(&self) -> String {
        let claims = self.claims.iter().map(|(path, domain)| {
            format!("{path} {}\n", value_text(&domain.map(|domain| u64::from(domain.0))))
        });
        let undecoded = self.undecoded.iter().map(|scope| format!("{scope} {UNDECODED}\n"));
        claims.chain(undecoded).chain(self.devices().filter_map(bridge_text)).collect()
    }

    /// Reads [`claims_text`](Self::claims_text); `None` if a line is malformed. Devices other than
    /// host bridges are missing.
    pub fn from_claims_text(text: &str) -> Option<Self> {
        let mut namespace = Self::default();
        for line in text.lines() {
            let (path, rest) = line.split_once(' ')?;
            let path = path.to_owned();
            if rest == UNDECODED {
                namespace.undecoded.insert(path);
            } else if let Some(value) = parse_value(rest) {
                namespace.claims.insert(path, domain(value));
            } else {
                namespace.devices.insert(path.clone(), parse_bridge(path, rest)?);
            }
        }
        for (path, device) in &mut namespace.devices {
            device.domain = namespace.claims.get(path).copied();
        }
        Some(namespace)
    }
}

fn value_text(value: &AmlValue<u64>) -> String {
    match value {
        AmlValue::Constant(number) => number.to_string(),
        AmlValue::Computed => COMPUTED.to_owned(),
        AmlValue::Malformed => MALFORMED.to_owned(),
    }
}

fn parse_value(text: &str) -> Option<AmlValue<u64>> {
    match text {
        COMPUTED => Some(AmlValue::Computed),
        MALFORMED => Some(AmlValue::Malformed),
        number => number.parse().ok().map(AmlValue::Constant),
    }
}

fn domain(value: AmlValue<u64>) -> AmlValue<ProximityDomain> {
    match value.map(u32::try_from) {
        AmlValue::Constant(Ok(domain)) => AmlValue::Constant(ProximityDomain(domain)),
        AmlValue::Computed => AmlValue::Computed,
        AmlValue::Constant(Err(_)) | AmlValue::Malformed => AmlValue::Malformed,
    }
}

fn bridge_text(device: &AcpiDevice) -> Option<String> {
    let ids: Vec<&str> = HOST_BRIDGES.into_iter().filter(|id| device.has_id(id)).collect();
    if ids.is_empty() {
        return None;
    }
    let mut line = format!("{} {}", device.path, ids.join(","));
    // Tables name devices by numbers of 32 bits. A text may be a serial number.
    let uid = device.uid.as_ref().and_then(|uid| match uid {
        AmlValue::Constant(uid) => uid.parse::<u32>().ok(),
        AmlValue::Computed | AmlValue::Malformed => None,
    });
    let uid = uid.map(|uid| AmlValue::Constant(u64::from(uid)));
    for (name, value) in [("uid", uid), ("segment", device.segment), ("bus", device.bus)] {
        if let Some(value) = value {
            line += &format!(" {name}={}", value_text(&value));
        }
    }
    Some(line + "\n")
}

fn parse_bridge(path: String, text: &str) -> Option<AcpiDevice> {
    let mut words = text.split(' ');
    let ids: Vec<String> = words.next()?.split(',').map(str::to_owned).collect();
    if !ids.iter().all(|id| HOST_BRIDGES.contains(&id.as_str())) {
        return None;
    }
    let compatible_ids = Some(AmlValue::Constant(ids));
    let mut device = AcpiDevice { path, compatible_ids, ..AcpiDevice::default() };
    for word in words {
        let (name, value) = word.split_once('=')?;
        let value = parse_value(value)?;
        match name {
            "uid" => device.uid = Some(value.map(|uid| uid.to_string())),
            "segment" => device.segment = Some(value),
            "bus" => device.bus = Some(value),
            _ => return None,
        }
    }
    Some(device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acpi::InheritedDomain;

    const TEXT: &str = "\\_SB_.PC38 3\n\\_SB_.PC40 not-evaluated\n\\_SB_.PC48 malformed\n\
                        \\_SB_ not-decoded\n\\_SB_.PC38 PNP0A08,PNP0A03 uid=7 segment=0 bus=56\n\
                        \\_SB_.PC40 ACPI0016 bus=not-evaluated\n";

    #[test]
    fn claims_survive_as_text() {
        let namespace = AcpiNamespace::from_claims_text(TEXT).unwrap();
        assert_eq!(namespace.claims_text(), TEXT);
        let from = "\\_SB_.PC38".to_owned();
        assert_eq!(
            namespace.domain_of("\\_SB_.PC38"),
            InheritedDomain::Constant { domain: ProximityDomain(3), from: from.clone() }
        );
        let bridge = namespace.device(&from).unwrap();
        assert_eq!(bridge.pci_root().map(|root| (root.segment, root.bus)), Some((0, 56)));
        assert_eq!(bridge.domain, Some(AmlValue::Constant(ProximityDomain(3))));
        assert_eq!(namespace.device("\\_SB_.PC40").unwrap().pci_root(), None);
        assert!(!namespace.is_complete());
    }

    #[test]
    fn only_numbers_are_kept_as_uid() {
        let mut namespace = AcpiNamespace::from_claims_text("\\_SB_.PC38 PNP0A08\n").unwrap();
        for (uid, kept) in [("ZM123", ""), ("4294967296", ""), ("56", " uid=56")] {
            let device = namespace.devices.values_mut().next().unwrap();
            device.uid = Some(AmlValue::Constant(uid.to_owned()));
            assert_eq!(namespace.claims_text(), format!("\\_SB_.PC38 PNP0A08{kept}\n"));
        }
    }

    #[test]
    fn malformed_lines_make_no_namespace() {
        for text in ["x", "\\ y", "\\ PNP0A08 bus", "\\ PNP0A08 bus=x", "\\ PNP0A08 adr=1", "\n"] {
            assert_eq!(AcpiNamespace::from_claims_text(text), None, "{text:?}");
        }
        assert_eq!(AcpiNamespace::from_claims_text(""), Some(AcpiNamespace::default()));
    }
}
