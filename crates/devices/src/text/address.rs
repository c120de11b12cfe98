//! PCI addresses in few columns.

use crate::DevicesDocument;

const DOMAIN_0: &str = "0000:";

/// Addresses without their domain where all devices are in domain 0, as `lspci` prints them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addresses {
    has_one_domain: bool,
}

impl Addresses {
    pub(super) fn new(document: &DevicesDocument) -> Self {
        let mut all = document.devices.iter().filter_map(|device| device.address.as_deref());
        Self { has_one_domain: all.all(|address| address.starts_with(DOMAIN_0)) }
    }

    pub(super) fn short(self, address: &str) -> &str {
        match address.strip_prefix(DOMAIN_0) {
            Some(short) if self.has_one_domain => short,
            _ => address,
        }
    }
}
