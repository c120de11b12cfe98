//! What firmware and the kernel's log claim about the devices of `--near`. Reading all witnesses
//! takes longer than starting a program, so only explanations and refusals do it.

use nearfar_machine::{HardwareNode, InventoryScope, PciNames, Source};
use nearfar_process::launch::text::near;
use nearfar_process::launch::{LaunchError, NearClaims, NearExplained};

use crate::measured_nodes::measured_nodes;

/// Adds the claims to an explanation.
pub(super) fn add_claims(explained: &mut NearExplained, source: &Source) {
    let hardware = explained.placement.devices.iter().flat_map(|device| &device.hardware);
    explained.claims = claims(hardware, source);
}

/// Adds the claims to a refusal.
pub(super) fn with_claims(error: LaunchError, source: &Source) -> LaunchError {
    match error {
        LaunchError::UnknownDeviceNode { asked, hardware, nodes, .. } => {
            let claims = near::claims_of_unknown(&claims(&hardware, source));
            LaunchError::UnknownDeviceNode { asked, hardware, nodes, claims }
        }
        other => other,
    }
}

fn claims<'h>(
    hardware: impl IntoIterator<Item = &'h HardwareNode>,
    source: &Source,
) -> Vec<NearClaims> {
    let mut witnesses = nearfar_diagnose::Witnesses::read(source);
    witnesses.measured = measured_nodes(source);
    let Some(inventory) = &witnesses.inventory else { return Vec::new() };
    let names = PciNames::read(source, &std::collections::BTreeSet::new());
    let document =
        nearfar_diagnose::devices(&witnesses, inventory, InventoryScope::Usual, &names, None);
    let named = |one: &HardwareNode| {
        let device = document.device_of(one.address, &one.name)?;
        Some(NearClaims { name: one.name.clone(), node: device.node.clone() })
    };
    hardware.into_iter().filter_map(named).collect()
}
