//! Interrupts of this machine or of a captured one, and the devices that a user names.

pub(crate) mod selection;
mod set_device;

use anyhow::bail;
use nearfar_devices::DevicesDocument;
use nearfar_devices::irq::{Earlier, IrqDocument, IrqInput, assess};
use nearfar_diagnose::Witnesses;
use nearfar_machine::interrupts::InterruptSnapshot;
use nearfar_machine::{InventoryScope, PciNames, Source};

pub(crate) use set_device::SetDevice;

/// What does not change while interrupts are counted.
pub(crate) struct MachineSetup {
    pub(crate) witnesses: Witnesses,
    pub(crate) devices: DevicesDocument,
}

impl MachineSetup {
    pub(crate) fn read(source: &Source) -> anyhow::Result<Self> {
        // Virtual functions and devices of unusual classes have interrupts, too.
        let scope = InventoryScope::All;
        let witnesses = Witnesses::with_devices(source, scope);
        let Some(inventory) = &witnesses.inventory else {
            bail!("{} has no CPUs in /sys", source.origin());
        };
        let names = PciNames::default();
        let devices = nearfar_diagnose::devices(&witnesses, inventory, scope, &names, None);
        Ok(Self { witnesses, devices })
    }

    /// The labels of the devices that these words name.
    pub(crate) fn labels(&self, source: &Source, words: &[String]) -> anyhow::Result<Vec<String>> {
        let mut labels = Vec::new();
        for word in words {
            let devices = selection::devices(source, &self.devices, word)?;
            labels.extend(devices.into_iter().map(|device| device.label.clone()));
        }
        Ok(labels)
    }

    pub(crate) fn document(
        &self,
        now: &InterruptSnapshot,
        earlier: Option<Earlier<'_>>,
        only: &[String],
    ) -> IrqDocument {
        let (devices, setup) = (&self.devices, Some(&self.witnesses.irq_setup));
        let topology = self.witnesses.topology.as_ref();
        assess(IrqInput { devices, topology, setup, now, earlier, only })
    }
}

pub(crate) fn snapshot(source: &Source) -> anyhow::Result<InterruptSnapshot> {
    InterruptSnapshot::read(source).map_err(|why| match source.is_live() {
        true => anyhow::anyhow!("{why}"),
        false => anyhow::anyhow!(
            "{} has no interrupts: {why}; save /proc/interrupts of that machine, and give it to \
             'nearfar irq --interrupts FILE'",
            source.origin()
        ),
    })
}
