use super::*;

fn setting() -> LastingSetting {
    LastingSetting {
        label: "NIC0".to_owned(),
        address: PciAddress::parse("0000:00:03.0").unwrap(),
        program: "/usr/bin/nearfar".to_owned(),
        options: vec!["--near".to_owned()],
        node: Some(NodeId(1)),
        is_network: true,
    }
}

#[test]
fn files_name_the_device_and_no_interrupt() {
    let set = "/usr/bin/nearfar irq set 0000:00:03.0 --near";
    let undo = "/usr/bin/nearfar irq set 0000:00:03.0 --undo";
    let text = |system| setting().text(system);
    let unit = text(LastingSystem::Systemd);
    assert!(unit.contains(&format!("ExecStart={set}\nExecStop={undo}\n")), "{unit}");
    assert!(unit.contains("After=network-online.target irqbalance.service"), "{unit}");
    let rule = text(LastingSystem::Udev);
    assert!(rule.contains(&format!("KERNELS==\"0000:00:03.0\", RUN+=\"{set}\"")), "{rule}");
    let profile = text(LastingSystem::Tuned);
    assert!(profile.contains(&format!("start) {set} ;;")), "{profile}");
    assert!(profile.contains(&format!("stop) {undo} ;;")), "{profile}");
    let policy = text(LastingSystem::Irqbalance);
    assert!(policy.starts_with("#!/bin/sh\n") && policy.contains("echo numa_node=1"), "{policy}");
}

#[test]
fn irqbalance_bans_what_it_cannot_set() {
    let setting = LastingSetting { node: None, is_network: false, ..setting() };
    let policy = setting.text(LastingSystem::Irqbalance);
    assert!(policy.contains("*/0000:00:03.0) echo ban=true ;;"), "{policy}");
    assert!(setting.text(LastingSystem::Udev).contains("ACTION==\"bind\""));
}

#[test]
fn odd_words_are_quoted() {
    let setting = LastingSetting { program: "/opt/100% x/nearfar".to_owned(), ..setting() };
    let unit = setting.text(LastingSystem::Systemd);
    assert!(unit.contains("ExecStart='/opt/100%% x/nearfar' irq set"), "{unit}");
}
