//! The screens of a document of devices written by hand, against golden text.

use nearfar_devices::{Device, DevicesDocument};
use nearfar_report::devices;
use nearfar_terminal::width;
use snapbox::{assert_data_eq, file};

use crate::devices_by_hand::document;

#[test]
fn all_marks_and_findings_on_one_screen() {
    assert_data_eq!(devices::text(&document()), file!["../golden/devices.txt"]);
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
    let shown = width::with(80, || devices::text(&document));
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let heads: Vec<&str> = shown.lines().filter(|line| line.starts_with("device ")).collect();
    assert!(heads.len() == 1 && heads[0].ends_with("interrupts on CPUs"), "{shown}");
}

#[test]
fn domains_are_shown_where_they_differ() {
    let mut document = document();
    document.devices[0].address = Some("10000:01:00.0".to_owned());
    let shown = devices::text(&document);
    assert!(shown.contains("10000:01:00.0") && shown.contains(" 0000:1b:00.0 "), "{shown}");
}

#[test]
fn an_empty_list_has_a_reason() {
    let mut document = DevicesDocument { devices: Vec::new(), ..document() };
    assert!(devices::text(&document).contains("\nNo device of the usual kinds: '--all' lists"));
    document.functions = 0;
    assert!(devices::text(&document).contains("\nNo PCI function in sysfs."));
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
    let others = [devices::text(&document), devices::csv(&document), without_tabs];
    for shown in others {
        let obeyed = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(obeyed), "{shown:?}");
    }
}
