//! Devices, and how far they are apart.

use nearfar_view::terminal::table::{Align, Table};

use crate::machine::LabMachine;

/// Nothing where there are none.
pub(super) fn text(machine: &LabMachine) -> String {
    let devices = machine.devices();
    if devices.is_empty() {
        return String::new();
    }
    let node = |node: Option<_>| node.map_or("-".to_owned(), |node| format!("{node}"));
    let mut table = Table::default();
    table.line(["device", "at", "node", "SRAT", "address", "expected findings"]);
    for device in &devices {
        let [name, at, address] = [&device.name, device.at, &device.address].map(str::to_owned);
        let (bridge, srat) = (node(device.node), node(device.srat_node));
        table.line([name, at, bridge, srat, address, device.expects.join(" ")]);
    }
    use Align::{Left, Right};
    let list = table.text(&[Left, Left, Right, Right, Left]);
    format!(
        "\nDevices\n{list}\nLevels of pairs, as nvidia-smi topo -m names them\n{}",
        grid(machine)
    )
}

/// Columns are numbers, for names are long.
fn grid(machine: &LabMachine) -> String {
    let (devices, pairs) = (machine.devices(), machine.device_pairs());
    let mut table = Table::default();
    let numbers = (0..devices.len()).map(|number| number.to_string());
    table.line([String::new(), String::new()].into_iter().chain(numbers));
    for (number, row) in devices.iter().enumerate() {
        let levels = devices.iter().map(|column| {
            let pair = pairs.iter().find(|pair| {
                (&pair.a, &pair.b) == (&row.name, &column.name)
                    || (&pair.a, &pair.b) == (&column.name, &row.name)
            });
            pair.map_or("X", |pair| pair.level.word()).to_owned()
        });
        table.line([number.to_string(), row.name.clone()].into_iter().chain(levels));
    }
    table.text(&[Align::Right, Align::Left, Align::Right])
}
