//! Tables written by hand, for tests.

/// A memory module in each slot: locator, bank, GiB.
pub(crate) fn memory_devices(slots: &[(&str, &str, u64)]) -> Vec<u8> {
    let mut table = Vec::new();
    for ((locator, bank, gib), handle) in slots.iter().zip(0x1100u16..) {
        let mut fields = vec![0u8; 34];
        fields[0] = 17;
        fields[1] = 34;
        fields[2..4].copy_from_slice(&handle.to_le_bytes());
        fields[12..14]
            .copy_from_slice(&(if *gib == 0 { 0u16 } else { (*gib as u16) << 10 }).to_le_bytes());
        if *gib >= 32 {
            fields[12..14].copy_from_slice(&0x7fffu16.to_le_bytes());
            fields[28..32].copy_from_slice(&((*gib as u32) << 10).to_le_bytes());
        }
        (fields[16], fields[17]) = (1, if bank.is_empty() { 0 } else { 2 });
        table.extend(fields);
        table.extend(locator.bytes().chain([0]));
        if !bank.is_empty() {
            table.extend(bank.bytes().chain([0]));
        }
        table.push(0);
    }
    table.extend([127, 4, 0, 0, 0, 0]);
    table
}

/// Sockets, with a processor or without; without the structure that ends a table.
pub(crate) fn processors(populated: &[bool]) -> Vec<u8> {
    let mut table = Vec::new();
    for (&populated, handle) in populated.iter().zip(0x400u16..) {
        let mut fields = vec![0u8; 26];
        fields[0] = 4;
        fields[1] = 26;
        fields[2..4].copy_from_slice(&handle.to_le_bytes());
        fields[24] = if populated { 0x41 } else { 0 };
        table.extend(fields);
        table.extend([0, 0]);
    }
    table
}
