//! The devices of all DSDTs and SSDTs of a machine, joined by their paths.

mod claims_text;

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::ProximityDomain;

use super::aml::{AcpiDevice, AmlValue, DefinitionBlock};

/// The ACPI namespace of a machine as far as its tables declare it without running methods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcpiNamespace {
    devices: BTreeMap<String, AcpiDevice>,
    /// `_PXM` by path.
    claims: BTreeMap<String, AmlValue<ProximityDomain>>,
    /// Paths of scopes in which code was not decoded.
    undecoded: BTreeSet<String>,
}

/// The proximity domain of a device: its own, or that of the next parent that has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InheritedDomain {
    /// A constant.
    Constant {
        /// The domain.
        domain: ProximityDomain,
        /// Path of the device that claims it.
        from: String,
    },
    /// Code computes it. It hides the constants of parents.
    Computed {
        /// Path of the device with that code.
        from: String,
    },
    /// A constant of a wrong type. Linux ignores a package and goes on to the parent.
    Malformed {
        /// Path of the device that has it.
        from: String,
    },
    /// Neither the device nor a parent is known to have one, or only a parent is, and code around
    /// the device was not decoded that may claim another.
    NotDecoded {
        /// Path of the scope with that code.
        scope: String,
    },
    /// All code around it is decoded, and there is none.
    Absent,
}

impl AcpiNamespace {
    /// Joins tables in the order in which they are loaded: the DSDT, then the SSDTs. Of several
    /// objects with one path the first counts.
    pub fn new<'b>(blocks: impl IntoIterator<Item = &'b DefinitionBlock>) -> Self {
        let mut namespace = Self::default();
        let mut additions = Vec::new();
        for block in blocks {
            for device in block.devices() {
                namespace.devices.entry(device.path.clone()).or_insert(device);
            }
            additions.extend(block.additions());
            namespace.undecoded.extend(block.undecoded().map(|code| code.scope));
        }
        for addition in additions {
            if let Some(domain) = addition.domain {
                namespace.claims.entry(addition.path.clone()).or_insert(domain);
            }
            if let Some(device) = namespace.devices.get_mut(&addition.path) {
                device.merge(addition);
            }
        }
        namespace
    }

    /// All devices, by path.
    pub fn devices(&self) -> impl Iterator<Item = &AcpiDevice> {
        self.devices.values()
    }

    /// The device with a path as in sysfs' `firmware_node/path`: `\_SB_.PC20`.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-devices-firmware_node
    pub fn device(&self, path: &str) -> Option<&AcpiDevice> {
        self.devices.get(path)
    }

    /// Whether all code of all tables is decoded, methods excepted.
    pub fn is_complete(&self) -> bool {
        self.undecoded.is_empty()
    }

    /// The domain of a path: its own, or else that of the next parent that has one, as Linux finds
    /// it. The path need not be that of a known device.
    ///
    /// # References
    ///
    /// drivers/acpi/numa/srat.c: acpi_get_node, acpi_get_pxm; ACPI 6.5, section 6.2.14 (`_PXM`)
    pub fn domain_of(&self, path: &str) -> InheritedDomain {
        let found = ancestry(path).find_map(|scope| Some((scope, self.claims.get(scope)?)));
        if found.is_none_or(|(scope, _)| scope != path) {
            if let Some(scope) = ancestry(path).find(|scope| self.undecoded.contains(*scope)) {
                return InheritedDomain::NotDecoded { scope: scope.to_owned() };
            }
        }
        let Some((scope, domain)) = found else { return InheritedDomain::Absent };
        let from = scope.to_owned();
        match *domain {
            AmlValue::Constant(domain) => InheritedDomain::Constant { domain, from },
            AmlValue::Computed => InheritedDomain::Computed { from },
            AmlValue::Malformed => InheritedDomain::Malformed { from },
        }
    }
}

/// A path and those of its parents, up to the root.
fn ancestry(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| match path.rsplit_once('.') {
        Some((parent, _)) => Some(parent),
        None => (*path != "\\").then_some("\\"),
    })
}
