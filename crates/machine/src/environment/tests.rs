use super::*;

fn read(files: &[(&str, &str)]) -> Environment {
    Environment::read(&Source::from_files(files.iter().copied()))
}

#[test]
fn empty_capture_has_no_settings() {
    let environment = read(&[("/proc/cpuinfo", "")]);
    assert_eq!(environment.hypervisor, None);
    assert_eq!(
        (environment.smt, environment.load.average, environment.load.cpu_quota),
        (None, None, None)
    );
    assert!(environment.frequency.governors.is_empty() && environment.idle.states.is_empty());
}

#[test]
fn clocks_of_all_policies_are_combined() {
    let policy = "/sys/devices/system/cpu/cpufreq";
    let files = [
        ("policy0/scaling_governor", "performance"),
        ("policy0/scaling_driver", "acpi-cpufreq"),
        ("policy0/scaling_max_freq", "3700000"),
        ("policy1/scaling_governor", "powersave"),
        ("policy1/scaling_max_freq", "3900000"),
        ("boost", "0"),
    ]
    .map(|(name, content)| (format!("{policy}/{name}"), content));
    let frequency = Environment::read(&Source::from_files(files)).frequency;
    assert_eq!(frequency.driver.as_deref(), Some("acpi-cpufreq"));
    assert_eq!(frequency.governors, ["performance", "powersave"]);
    assert_eq!(
        (frequency.turbo, frequency.min_khz, frequency.max_khz),
        (Some(false), None, Some(3_900_000))
    );
}

#[test]
fn intel_reports_disabled_turbo() {
    let turbo = |no_turbo| {
        read(&[("/sys/devices/system/cpu/intel_pstate/no_turbo", no_turbo)]).frequency.turbo
    };
    assert_eq!((turbo("1"), turbo("0"), turbo("?")), (Some(false), Some(true), None));
}

#[test]
fn idle_latencies_are_in_nanoseconds() {
    let folder = "/sys/devices/system/cpu/cpu1/cpuidle";
    let files = [
        ("state0/name", "POLL"),
        ("state0/latency", "0"),
        ("state10/name", "C10"),
        ("state2/name", "C6"),
        ("state2/latency", "133"),
        ("state2/disable", "1"),
    ]
    .map(|(name, content)| (format!("{folder}/{name}"), content));
    let states = Environment::read(&Source::from_files(files)).idle.states;
    let shown: Vec<_> =
        states.iter().map(|state| (state.name.as_str(), state.latency_ns, state.enabled)).collect();
    assert_eq!(shown, [("POLL", Some(0), true), ("C6", Some(133_000), false), ("C10", None, true)]);
}

#[test]
fn paging_settings_are_read() {
    let paging = read(&[
        ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
        ("/sys/kernel/mm/transparent_hugepage/defrag", "nonsense"),
        ("/proc/sys/kernel/numa_balancing", "2"),
        ("/proc/sys/vm/zone_reclaim_mode", "x"),
        ("/sys/kernel/mm/numa/demotion_enabled", "true"),
        ("/sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "2"),
        ("/sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1"),
    ])
    .paging;
    assert_eq!((paging.thp_enabled.as_deref(), paging.thp_defrag), (Some("madvise"), None));
    assert_eq!(
        (paging.numa_balancing, paging.zone_reclaim_mode, paging.demotion),
        (Some(2), None, Some(true))
    );
    let tiers: Vec<_> = paging.tiers.iter().map(|tier| (tier.id, tier.nodes.to_string())).collect();
    assert_eq!(tiers, [(4, "0-1".to_owned()), (22, "2".to_owned())]);
}

#[test]
fn what_newer_kernels_add_is_absent_elsewhere() {
    let enabled = "/sys/kernel/debug/sched/llc_balancing/enabled";
    let cache_aware = |value| read(&[(enabled, value)]).cache_aware_scheduling;
    assert_eq!((cache_aware("1\n"), cache_aware("0\n")), (Some(true), Some(false)));
    assert_eq!(cache_aware("always"), None);
    let node = "/sys/devices/system/node/node1";
    let newer = read(&[(&format!("{node}/reclaim"), "")]);
    assert!(newer.paging.node_reclaim);
    let older = read(&[(&format!("{node}/cpulist"), "0")]);
    assert!(!older.paging.node_reclaim && older.cache_aware_scheduling.is_none());
    let json = serde_json::to_string(&older).unwrap();
    assert!(!json.contains("reclaim\":false") && !json.contains("cache_aware"), "{json}");
}

#[test]
fn lowest_cpu_quota_wins() {
    let v2 = read(&[
        ("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0"),
        ("/proc/self/cgroup", "0::/pod/box"),
        ("/sys/fs/cgroup/pod/box/cpu.max", "max 100000"),
        ("/sys/fs/cgroup/pod/cpu.max", "150000 100000"),
    ]);
    assert_eq!(v2.load.cpu_quota, Some(1.5));
    let v1 = read(&[
        ("/proc/mounts", "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0"),
        ("/proc/self/cgroup", "4:cpu,cpuacct:/box"),
        ("/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "-1"),
        ("/sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000"),
    ]);
    assert_eq!(v1.load.cpu_quota, None);
}

#[test]
fn hypervisors_are_named() {
    let by_dmi = |flags: &'static str, vendor: &'static str, product: &'static str| {
        let environment = read(&[
            ("/proc/cpuinfo", flags),
            ("/sys/class/dmi/id/sys_vendor", vendor),
            ("/sys/class/dmi/id/product_name", product),
        ]);
        environment.hypervisor.zip(environment.hypervisor_source)
    };
    let (dmi, cpu_info) = (HypervisorSource::Dmi, HypervisorSource::CpuInfo);
    let named = |name: &str, source| Some((name.to_owned(), source));
    let flagged = "flags\t\t: fpu hypervisor lm\n";
    assert_eq!(by_dmi(flagged, "VMware, Inc.", "VMware7,1"), named("VMware", dmi));
    assert_eq!(by_dmi(flagged, "Microsoft Corporation", "Virtual Machine"), named("Hyper-V", dmi));
    assert_eq!(by_dmi(flagged, "Someone", "Something"), named("unknown", cpu_info));
    assert_eq!(by_dmi("flags : fpu lm\n", "QEMU", "Standard PC"), None);
    assert_eq!(by_dmi("CPU implementer : 0x41\n", "Amazon EC2", "c7g.metal"), None);
    let power = read(&[("/proc/cpuinfo", "cpu : POWER7\n\nplatform\t: pSeries\n")]);
    assert_eq!(power.hypervisor.zip(power.hypervisor_source), named("pHyp", cpu_info));
    let captured = read(&[("/nearfar/hypervisor", "KVM"), ("/proc/cpuinfo", flagged)]);
    assert_eq!(
        captured.hypervisor.zip(captured.hypervisor_source),
        named("KVM", HypervisorSource::Cpuid)
    );
}

#[test]
fn the_live_machine_can_be_read() {
    let live = Environment::read(&Source::live());
    assert!(live.boot.kernel_version.is_some_and(|version| version.contains("Linux")));
    assert!(live.prefetchers.state.is_some() != live.prefetchers.why.is_some());
}
