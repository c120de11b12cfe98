//! What a capture lacks is not taken for absent on its machine.

use nearfar_diagnose::{Diagnosis, Witness, WitnessStatement, Witnesses, diagnose};
use nearfar_machine::Source;
use nearfar_machine::capture::{Capture, Privacy};

fn machine(cmdline: &str, kept: Option<&str>) -> Source {
    let files = [("/sys/devices/system/cpu/online", "0-1"), ("/proc/cmdline", cmdline)];
    Source::from_files(files.into_iter().chain(kept.map(|list| ("/nearfar/kept", list))))
}

fn kernel(diagnosis: &Diagnosis) -> &[WitnessStatement] {
    let mut reports = diagnosis.witnesses.iter();
    &reports.find(|report| report.witness == Witness::Kernel).unwrap().statements
}

fn statements(source: &Source) -> Vec<WitnessStatement> {
    kernel(&diagnose(&Witnesses::read(source))).to_vec()
}

fn written(source: Source) -> Source {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.tar.gz");
    let capture = Capture::read(source, Privacy::Removed, |_| {});
    capture.write(std::fs::File::create(&path).unwrap()).unwrap();
    Source::open(&path).unwrap()
}

#[test]
fn unknown_values_and_withheld_ones_differ() {
    let on_the_machine = statements(&machine("numa=apollo quiet", None));
    let names = vec!["numa".to_owned()];
    let unknown = WitnessStatement::ParametersNotUnderstood { names: names.clone() };
    assert!(on_the_machine.contains(&unknown), "{on_the_machine:?}");
    let captured = statements(&written(machine("numa=apollo quiet", None)));
    let not_sent = WitnessStatement::NotSent { parameters: names, messages: 0 };
    assert!(captured.contains(&not_sent) && !captured.contains(&unknown), "{captured:?}");
    let whole = statements(&written(machine("numa=off quiet", None)));
    let words = vec!["numa=off".to_owned()];
    assert!(whole.contains(&WitnessStatement::CommandLine { words }), "{whole:?}");
    assert!(!whole.iter().any(|one| matches!(one, WitnessStatement::NotSent { .. })));
}

#[test]
fn captures_of_a_release_that_kept_less_lack_it() {
    let found = statements(&machine("quiet", Some("parameter numa\nparameter mem\n")));
    let lacks = found.iter().find_map(|one| match one {
        WitnessStatement::NotSent { parameters, messages } => Some((parameters, *messages)),
        _ => None,
    });
    let (parameters, messages) = lacks.unwrap();
    assert!(parameters.iter().any(|name| name == "acpi") && messages > 20, "{parameters:?}");
    assert!(!parameters.iter().any(|name| name == "numa"), "{parameters:?}");
}

#[test]
fn a_capture_without_a_known_parameter_has_a_command_line() {
    let found = statements(&written(machine("root=/dev/sda1 quiet", None)));
    let empty = WitnessStatement::CommandLine { words: Vec::new() };
    assert!(found.contains(&empty), "{found:?}");
}
