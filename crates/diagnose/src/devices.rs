//! Devices: the inventory, with the claims of firmware and log about nodes.

use nearfar_devices::{DeviceContext, DevicesDocument, SmiMatrix, assess, wanted_names};
use nearfar_firmware::linux::{Prediction, predict};
use nearfar_machine::{Inventory, InventoryScope, PciNames, Source};

use crate::facts::Facts;
use crate::witnesses::Witnesses;

/// Where the devices of an inventory are, by all witnesses.
///
/// `smi` is the output of `nvidia-smi topo -m`, or why there is none although it is installed.
pub fn devices(
    witnesses: &Witnesses,
    inventory: &Inventory,
    scope: InventoryScope,
    names: &PciNames,
    smi: Option<&Result<SmiMatrix, String>>,
) -> DevicesDocument {
    let is_guest = Facts::from_witnesses(witnesses).hypervisor.is_some();
    let prediction = predict(&witnesses.prediction_input());
    let of = DevicesInput { inventory, scope, names, smi };
    of.assess(witnesses, is_guest, &prediction)
}

/// Where the usual devices are, without the levels of pairs: their paths have them. `source` has
/// the names of models.
pub fn usual_devices(witnesses: &Witnesses, source: &Source) -> Option<DevicesDocument> {
    let inventory = witnesses.inventory.as_ref()?;
    let names = PciNames::read(source, &wanted_names(inventory));
    let document = devices(witnesses, inventory, InventoryScope::Usual, &names, None);
    Some(DevicesDocument { matrix: None, ..document })
}

/// What is known of the devices besides the witnesses.
pub(crate) struct DevicesInput<'a> {
    pub(crate) inventory: &'a Inventory,
    pub(crate) scope: InventoryScope,
    pub(crate) names: &'a PciNames,
    pub(crate) smi: Option<&'a Result<SmiMatrix, String>>,
}

impl DevicesInput<'_> {
    pub(crate) fn assess(
        &self,
        witnesses: &Witnesses,
        is_guest: bool,
        prediction: &Prediction,
    ) -> DevicesDocument {
        let predicted = prediction
            .nodes
            .iter()
            .filter(|node| node.online)
            .filter_map(|node| Some((node.domain?, node.id)));
        let domains = DeviceContext::domain_nodes(&witnesses.log, predicted);
        let context = DeviceContext {
            topology: witnesses.topology.as_ref(),
            firmware: &witnesses.firmware,
            log: &witnesses.log,
            domains: &domains,
            is_guest,
            measured: &witnesses.measured,
        };
        assess(self.inventory, self.scope, self.names, &context, self.smi)
    }
}
