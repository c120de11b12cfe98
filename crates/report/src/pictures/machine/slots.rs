//! Slots for memory modules by package.

use std::collections::BTreeSet;

use nearfar_diagnose::MemorySlot;
use nearfar_model::Bytes;
use nearfar_view::draw::{PlanPackage, PlanSlot};

/// Gives packages their slots; those whose package is unknown.
///
/// Boards number sockets from 0, from 1, or by letters: in order they are the packages, where there
/// are as many.
pub(super) fn placed(slots: &[MemorySlot], packages: &mut [PlanPackage]) -> Vec<PlanSlot> {
    if let [only] = packages {
        only.slots = slots.iter().map(plan_slot).collect();
        return Vec::new();
    }
    let sockets: BTreeSet<&str> = slots.iter().filter_map(|slot| slot.socket.as_deref()).collect();
    if sockets.len() != packages.len() || slots.iter().any(|slot| slot.socket.is_none()) {
        return slots.iter().map(plan_slot).collect();
    }
    for (socket, package) in sockets.into_iter().zip(packages) {
        let here = slots.iter().filter(|slot| slot.socket.as_deref() == Some(socket));
        package.slots = here.map(plan_slot).collect();
    }
    Vec::new()
}

fn plan_slot(slot: &MemorySlot) -> PlanSlot {
    let size = match slot.bytes {
        Some(Bytes(0)) => String::new(),
        Some(bytes) => bytes.to_string(),
        None => "size unknown".to_owned(),
    };
    PlanSlot { name: slot.name.trim().to_owned(), size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(socket: Option<&str>, name: &str, bytes: Option<u64>) -> MemorySlot {
        MemorySlot {
            name: name.to_owned(),
            socket: socket.map(str::to_owned),
            channel: None,
            bytes: bytes.map(Bytes),
        }
    }

    fn packages(count: usize) -> Vec<PlanPackage> {
        vec![PlanPackage::default(); count]
    }

    #[test]
    fn sockets_in_order_are_packages() {
        let slots = [
            slot(Some("2"), "P2-A1", Some(0)),
            slot(Some("1"), "P1-A1 ", Some(16 << 30)),
            slot(Some("1"), "P1-B1", None),
        ];
        let mut packages = packages(2);
        assert_eq!(placed(&slots, &mut packages), []);
        let words = |package: &PlanPackage| -> Vec<String> {
            package.slots.iter().map(|slot| format!("{}={}", slot.name, slot.size)).collect()
        };
        assert_eq!(words(&packages[0]), ["P1-A1=16 GiB", "P1-B1=size unknown"]);
        assert_eq!(words(&packages[1]), ["P2-A1="]);
    }

    #[test]
    fn slots_of_unknown_sockets_are_apart() {
        let named = slot(Some("1"), "A1", Some(1 << 30));
        let mut two = packages(2);
        assert_eq!(
            placed(std::slice::from_ref(&named), &mut two).len(),
            1,
            "one socket, two packages"
        );
        assert_eq!(placed(&[named.clone(), slot(None, "B1", None)], &mut two).len(), 2);
        assert!(two.iter().all(|package| package.slots.is_empty()));
        let mut one = packages(1);
        assert_eq!(placed(&[named], &mut one), []);
        assert_eq!(one[0].slots.len(), 1);
    }
}
