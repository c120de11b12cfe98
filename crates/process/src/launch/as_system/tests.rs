use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use nearfar_model::NodeId;
use nearfar_place::PolicyFlags;

use super::*;
use crate::launch::placement::CpuChoice;

fn nodes(list: &str) -> NodeSet {
    NodeSet::parse_list(list).unwrap()
}

fn placed(cpus: &str, policy: Policy) -> Placement {
    let cpus =
        CpuChoice { cpus: CpuSet::parse_list(cpus).unwrap(), nodes: None, option: String::new() };
    let memory = MemoryChoice { policy, flags: PolicyFlags::default(), option: String::new() };
    Placement { cpus: Some(cpus), memory: Some(memory) }
}

fn translated(policy: Policy, system: System) -> String {
    let translation =
        Translation::new(&placed("0-3,8", policy), &["prog".into(), "a b".into()], system).unwrap();
    translation.parts.iter().map(|part| format!("{}\n", part.text)).collect()
}

#[test]
fn systemd_gets_its_properties() {
    let text = translated(Policy::Bind(nodes("0,4")), System::Systemd);
    assert!(
        text.starts_with(
            "[Service]\nCPUAffinity=0-3,8\nNUMAPolicy=bind\nNUMAMask=0,4\nExecStart=prog 'a b'\n"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "systemd-run --pty -p CPUAffinity=0-3,8 -p NUMAPolicy=bind -p NUMAMask=0,4 prog 'a b'"
        ),
        "{text}"
    );
    assert!(!translated(Policy::Local, System::Systemd).contains("NUMAMask"));
}

#[test]
fn systemd_specifiers_are_escaped() {
    let command = ["sh", "-c", r"echo ${HOME} %n \x"].map(Into::into);
    let translation =
        Translation::new(&placed("0", Policy::Local), &command, System::Systemd).unwrap();
    let [unit, line] = [0, 1].map(|index: usize| translation.parts[index].text.as_str());
    assert!(unit.ends_with(r"ExecStart=sh -c 'echo $${HOME} %%n \\x'"), "{unit}");
    assert!(line.ends_with(r"sh -c 'echo $${HOME} %n \x'"), "{line}");
}

#[test]
fn systemd_leaves_other_policies_to_nearfar() {
    let text = translated(Policy::WeightedInterleave(nodes("0-1")), System::Systemd);
    assert!(text.contains("ExecStart=nearfar run --weighted-interleave=0-1 prog 'a b'"), "{text}");
    assert!(!text.contains("NUMAPolicy"));
}

#[test]
fn systemd_262_has_all_policies() {
    for (policy, name) in [
        (Policy::WeightedInterleave(nodes("0-1")), "weighted-interleave"),
        (Policy::PreferredMany(nodes("0-1")), "preferred-many"),
    ] {
        let text = translated(policy, System::Systemd262);
        assert!(text.contains(&format!("NUMAPolicy={name}\nNUMAMask=0-1\n")), "{text}");
        assert!(text.contains("ExecStart=prog") && !text.contains("nearfar run"), "{text}");
    }
}

#[test]
fn docker_binds_by_cpuset() {
    let bound = translated(Policy::Bind(nodes("1")), System::Docker);
    assert_eq!(bound, "docker run --cpuset-cpus=0-3,8 --cpuset-mems=1 IMAGE prog 'a b'\n");
    let spread = translated(Policy::Interleave(nodes("0-1")), System::Docker);
    assert!(
        spread.contains("--cap-add=SYS_NICE IMAGE nearfar run --interleave=0-1 prog"),
        "{spread}"
    );
    assert!(!spread.contains("--cpuset-mems"));
}

#[test]
fn slurm_gets_masks() {
    let bound = translated(Policy::Bind(nodes("0,4")), System::Slurm);
    assert_eq!(
        bound,
        "srun --exclusive --cpu-bind=mask_cpu:0x10f --mem-bind=mask_mem:0x11 prog 'a b'\n"
    );
    assert!(
        translated(Policy::Preferred(NodeId(1)), System::Slurm)
            .contains("--mem-bind=prefer,mask_mem:0x2")
    );
    assert!(
        translated(Policy::Interleave(nodes("0")), System::Slurm)
            .contains("--mem-bind=none nearfar run --interleave=0 prog")
    );
    let wide = Translation::new(&placed("64", Policy::Local), &[], System::Slurm).unwrap();
    assert!(wide.parts[0].text.contains("mask_cpu:0x10000000000000000 "), "{}", wide.parts[0].text);
}

#[test]
fn libvirt_pins_each_vcpu() {
    let text = translated(Policy::Bind(nodes("0")), System::Libvirt);
    assert!(text.contains("<vcpu placement='static' cpuset='0-3,8'>5</vcpu>"), "{text}");
    assert!(
        text.contains("<vcpupin vcpu='4' cpuset='8'/>")
            && text.contains("<memory mode='strict' nodeset='0'/>"),
        "{text}"
    );
    assert!(!translated(Policy::Local, System::Libvirt).contains("numatune"));
}

#[test]
fn kubernetes_asks_for_whole_cpus_on_one_node() {
    let text = translated(Policy::Bind(nodes("0")), System::Kubernetes);
    assert!(text.contains("single-numa-node") && text.contains("limits: {cpu: \"5\""), "{text}");
    assert!(translated(Policy::Bind(nodes("0-1")), System::Kubernetes).contains("restricted"));
}

#[test]
fn each_system_lists_its_caveats() {
    let (node, all) = (NodeId(1), nodes("0-1"));
    for policy in [
        Policy::Default,
        Policy::Local,
        Policy::Preferred(node),
        Policy::PreferredMany(all.clone()),
        Policy::Bind(all.clone()),
        Policy::Interleave(all.clone()),
        Policy::WeightedInterleave(all),
    ] {
        for system in System::ALL {
            let translation = Translation::new(&placed("0", policy.clone()), &[], system).unwrap();
            assert!(translation.parts.iter().all(|part| !part.place.is_empty()));
            assert!(translation.caveats.iter().all(|caveat| !caveat.contains('\n')));
        }
    }
    assert!("lxc".parse::<System>().unwrap_err().to_string().contains("systemd-262, docker"));
}

#[test]
fn words_that_a_system_cannot_have_are_refused_by_name() {
    let of = |command: &[OsString], system| {
        Translation::new(&placed("0", Policy::Local), command, system)
            .map(|found| found.parts.last().unwrap().text.clone())
            .map_err(|error| error.to_string())
    };
    let not_text = [OsString::from_vec(vec![b'x', 0xff])];
    for system in System::ALL {
        let error = of(&not_text, system).unwrap_err();
        assert!(error.starts_with(&format!("--as {}: ", system.name())), "{error}");
    }
    let hidden = ["prog".into(), "a\u{202e}b".into()];
    for system in [System::Docker, System::Slurm] {
        let error = of(&hidden, system).unwrap_err();
        assert!(error.contains("U+202E") && !error.contains('\u{202e}'), "{error}");
    }
    let error = of(&["/a\nUser=root".into()], System::Systemd).unwrap_err();
    assert!(error.contains("a unit of systemd cannot have '/a\u{fffd}User=root'"), "{error}");
    let option = of(&["--uid=0".into()], System::Slurm).unwrap();
    assert!(option.ends_with(" -- --uid=0"), "{option}");
}
