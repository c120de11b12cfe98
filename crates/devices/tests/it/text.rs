//! The screens of a document of devices written by hand, against golden text.

use nearfar_devices::text as devices;
use nearfar_devices::{Device, DevicesDocument};
use nearfar_view::terminal::width;
use snapbox::{assert_data_eq, file};

use crate::document_by_hand::document;

#[test]
fn all_marks_and_findings_on_one_screen() {
    assert_data_eq!(devices::text(&document()).plain(), file!["../golden/devices.txt"]);
}

#[test]
fn levels_as_nvidia_smi_prints_them() {
    assert_data_eq!(devices::matrix(&document()), file!["../golden/devices-matrix.txt"]);
}

#[test]
fn devices_and_levels_as_csv() {
    assert_data_eq!(devices::csv(&document()), file!["../golden/devices.csv"]);
    assert_data_eq!(devices::matrix_csv(&document()), file!["../golden/devices-matrix.csv"]);
}

#[test]
fn usual_devices_fit_80_columns() {
    let document = document();
    let usual = document.devices.iter().filter(|device| device.label.starts_with("GPU"));
    let document = DevicesDocument { devices: usual.cloned().collect(), ..document };
    let shown = width::with(80, || devices::text(&document).plain());
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let heads: Vec<&str> = shown.lines().filter(|line| line.starts_with("device ")).collect();
    assert!(heads.len() == 1 && heads[0].ends_with("interrupts"), "{shown}");
}

/// Which node, who names it, and a list of CPUs that other programs take.
#[test]
fn one_device_has_its_node_and_every_claim() {
    let mut document = document();
    document.devices.retain(|device| device.label == "GPU0");
    document.devices[0].cpus = Some((0..40).step_by(4).map(nearfar_model::CpuId).collect());
    document.matrix = None;
    let screen = width::with(80, || devices::one_device(&document));
    let first: Vec<&str> = screen.first.lines().take(3).collect();
    let node = document.devices[0].node.node.unwrap();
    assert!(first[0].contains(&format!("GPU0: node {node} (")), "{first:?}");
    assert!(first.join(" ").contains("CPUs near it: 0,4,8,12,16,20,24,28,32,36"), "{first:?}");
    let claims = document.devices[0].node.claims.len();
    let text = screen.plain();
    let table = text.split("Who names a node").nth(1).unwrap();
    let rows = table.lines().skip(2).take_while(|line| !line.is_empty());
    assert!(rows.count() >= claims && claims > 0, "{text}");
}

#[test]
fn domains_are_shown_where_they_differ() {
    let mut document = document();
    document.devices[0].address = Some("10000:01:00.0".to_owned());
    let shown = devices::text(&document).plain();
    assert!(shown.contains("10000:01:00.0") && shown.contains(" 0000:1b:00.0 "), "{shown}");
}

#[test]
fn an_empty_list_has_a_reason() {
    let mut document = DevicesDocument { devices: Vec::new(), ..document() };
    assert!(
        devices::text(&document).plain().contains("\nNo device of the usual kinds: '--all' lists")
    );
    document.functions = 0;
    assert!(
        devices::text(&document)
            .plain()
            .contains("\nNo PCI function: /sys/bus/pci is missing here.")
    );
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let mut document = document();
    let hostile = |device: &mut Device| {
        device.names = vec!["\u{1b}[2J\teth0\r".to_owned()];
        device.model = Some("\u{202e}model\u{7}".to_owned());
    };
    document.devices.iter_mut().for_each(hostile);
    document.machine = Some("\u{1b}]0;title\u{7}".to_owned());
    document.oddities.push("\u{9b}31m".to_owned());
    let matrix = devices::matrix(&document);
    let rows = matrix.lines().take(7);
    assert!(rows.into_iter().all(|row| row.matches('\t').count() == 9), "{matrix}");
    let without_tabs = matrix.replace('\t', "");
    let others = [devices::text(&document).plain(), devices::csv(&document), without_tabs];
    for shown in others {
        let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(obeyed), "{shown:?}");
    }
}

/// A card with 64 virtual functions, one of them on another node, and ten parts of a chipset.
fn document_of_equal_functions() -> DevicesDocument {
    let document = document();
    let card = document.devices.iter().find(|device| device.label == "NIC0").unwrap();
    let virtual_function = |number: usize| Device {
        label: format!("NIC{}", number + 2),
        names: vec![format!("eth0v{number}")],
        address: Some(format!("0000:1c:{:02x}.{}", number / 8 + 1, number % 8)),
        bytes: None,
        physical_function: card.address.clone(),
        virtual_functions: 0,
        node: if number == 9 { document.devices[2].node.clone() } else { card.node.clone() },
        ..card.clone()
    };
    let part = |number: usize| Device {
        label: format!("PCI{number}"),
        kind: nearfar_machine::DeviceKind::Other,
        names: Vec::new(),
        address: Some(format!("0000:7e:{number:02x}.0")),
        class: Some("088000".to_owned()),
        class_name: Some("System peripheral".to_owned()),
        id: Some(format!("8086:{:04x}", 0x3240 + number)),
        vendor: Some("Intel".to_owned()),
        model: None,
        driver: (number == 4).then(|| "uncore".to_owned()),
        path: vec!["pci0000:7e".to_owned()],
        bytes: None,
        physical_function: None,
        virtual_functions: 0,
        link: None,
        ..document.devices[0].clone()
    };
    let equal = (0..64).map(virtual_function).chain((0..10).map(part));
    let devices: Vec<Device> = [card.clone()].into_iter().chain(equal).collect();
    DevicesDocument { devices, matrix: None, findings: Vec::new(), ..document }
}

#[test]
fn equal_functions_are_folded_in_text_only() {
    let document = document_of_equal_functions();
    assert_data_eq!(devices::text(&document).plain(), file!["../golden/devices-folded.txt"]);
    assert_eq!(devices::csv(&document).lines().count(), 76);
}

#[test]
fn few_equal_functions_are_listed() {
    let mut document = document_of_equal_functions();
    document.devices.truncate(4);
    let shown = devices::text(&document).plain();
    assert!(!shown.contains("more") && shown.contains("NIC4"), "{shown}");
}
