use super::*;

fn setting() -> LastingSetting {
    LastingSetting {
        label: "NIC0".to_owned(),
        address: PciAddress::parse("0000:00:03.0").unwrap(),
        program: "/usr/bin/nearfar".into(),
        options: vec!["--near".to_owned()],
        node: Some(NodeId(1)),
        is_network: true,
    }
}

#[test]
fn files_name_the_device_and_no_interrupt() {
    let set = "/usr/bin/nearfar irq set 0000:00:03.0 --near";
    let undo = "/usr/bin/nearfar irq set 0000:00:03.0 --undo";
    let text = |system| setting().text(system).unwrap();
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
    let policy = setting.text(LastingSystem::Irqbalance).unwrap();
    assert!(policy.contains("*/0000:00:03.0) echo ban=true ;;"), "{policy}");
    assert!(setting.text(LastingSystem::Udev).unwrap().contains("ACTION==\"bind\""));
}

#[test]
fn odd_words_are_quoted() {
    let setting = LastingSetting { program: "/opt/100% x/nearfar".into(), ..setting() };
    let unit = setting.text(LastingSystem::Systemd).unwrap();
    assert!(unit.contains("ExecStart='/opt/100%% x/nearfar' irq set"), "{unit}");
}

/// A path cannot add a line to a file of another program, whatever is in it.
#[test]
fn paths_add_no_line() {
    use LastingSystem::{Irqbalance, Systemd, Tuned, Udev};
    let lines =
        |system| LastingSetting { node: None, ..setting() }.text(system).unwrap().lines().count();
    for path in [
        "/a\n[Service]\nExecStartPre=/x/nearfar",
        "/a\r\nb/nearfar",
        "/a\", RUN+=\"/x/nearfar",
        "/it's/nearfar",
        "/a\\/nearfar",
        "/a\u{202e}b/nearfar",
        "/a b$x%n;`id`/nearfar",
    ] {
        let setting = LastingSetting { node: None, program: path.into(), ..setting() };
        for system in [Systemd, Udev, Irqbalance, Tuned] {
            match setting.text(system) {
                Ok(text) => {
                    assert_eq!(text.lines().count(), lines(system), "{text}");
                    let quotes = text.matches('"').count();
                    assert!(system != Udev || quotes == 8 || quotes == 10, "{text}");
                }
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains("cannot have '/") && !error.contains('\n'), "{error}");
                }
            }
        }
    }
    let not_text = std::os::unix::ffi::OsStringExt::from_vec(b"/a\xff/nearfar".to_vec());
    let setting = LastingSetting { program: not_text, ..setting() };
    assert!(setting.text(Systemd).unwrap_err().to_string().contains("it is not UTF-8"));
}
