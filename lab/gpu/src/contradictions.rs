//! What in a description cannot be: found before anything starts.

use crate::description::{Description, GpuDescription, LinkDescription};

/// A part that cannot be, with its key: the first one that is found.
pub(crate) fn first(description: &Description) -> Option<String> {
    let checks = [version(description), gpus(description), links(description), peers(description)];
    checks.into_iter().chain([faults(description)]).find_map(Result::err)
}

type Checked = Result<(), String>;

fn require(holds: bool, wrong: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(wrong()) }
}

fn version(description: &Description) -> Checked {
    let text = &description.version;
    require(version_parts(text).is_some(), || {
        format!("version: '{text}' is not a major and a minor number (\"12.4\")")
    })
}

/// A version's major and minor number.
pub(crate) fn version_parts(text: &str) -> Option<(i32, i32)> {
    let (major, minor) = text.split_once('.')?;
    let number = |text: &str| text.parse::<u8>().ok().map(i32::from);
    Some((number(major)?, number(minor)?))
}

fn gpus(description: &Description) -> Checked {
    for (index, gpu) in description.gpus.iter().enumerate() {
        one_gpu(gpu).map_err(|wrong| format!("gpu {index}: {wrong}"))?;
    }
    Ok(())
}

fn one_gpu(gpu: &GpuDescription) -> Checked {
    require(is_address(&gpu.address), || {
        format!("address: '{}' is not like \"0000:3b:00.0\"", gpu.address)
    })?;
    require(gpu.memory_mib > 0, || "memory_mib: it is 0".to_owned())?;
    require(gpu.node < gpu.to_device_gb_s.len(), || {
        format!("node: to_device_gb_s has no number for node {}", gpu.node)
    })?;
    let rates = [
        ("to_device_gb_s", &gpu.to_device_gb_s),
        ("from_device_gb_s", &gpu.from_device_gb_s),
        ("pageable_gb_s", &gpu.pageable_gb_s),
        ("latency_us", &gpu.latency_us),
    ];
    for (key, list) in rates {
        require(list.len() == gpu.to_device_gb_s.len(), || {
            format!("{key}: it has {} numbers, to_device_gb_s another count", list.len())
        })?;
        list.iter().try_for_each(|&number| positive(key, number))?;
    }
    require(gpu.cpu_us.iter().all(|us| us.is_finite() && *us >= 0.0), || {
        "cpu_us: a number is below 0".to_owned()
    })?;
    gpu.both_gb_s.map_or(Ok(()), |rate| positive("both_gb_s", rate))
}

fn positive(key: &str, number: f64) -> Checked {
    require(number.is_finite() && number > 0.0, || format!("{key}: {number} is not above 0"))
}

/// Whether a text is an address of the PCI bus as sysfs writes it.
fn is_address(text: &str) -> bool {
    let is_hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let parts: Vec<&str> = text.split([':', '.']).collect();
    let lengths = [4, 2, 2, 1];
    parts.len() == 4 && parts.iter().zip(lengths).all(|(part, length)| is_hex(part, length))
}

fn links(description: &Description) -> Checked {
    for (index, LinkDescription { gb_s, sides }) in description.links.iter().enumerate() {
        positive(&format!("link {index}: gb_s"), *gb_s)?;
        let [first, second] = sides;
        let is_split = !first.is_empty() && !second.is_empty();
        require(is_split && !first.iter().any(|node| second.contains(node)), || {
            format!("link {index}: sides: each node is on one side, and no side is empty")
        })?;
    }
    Ok(())
}

fn peers(description: &Description) -> Checked {
    let count = description.gpus.len();
    for (index, peer) in description.peers.iter().enumerate() {
        require(peer.from < count && peer.to < count && peer.from != peer.to, || {
            format!("peer {index}: {} to {} are not two of {count} GPUs", peer.from, peer.to)
        })?;
        positive(&format!("peer {index}: gb_s"), peer.gb_s)?;
        positive(&format!("peer {index}: latency_us"), peer.latency_us)?;
        require(
            description.peers.iter().filter(|other| pair(other) == pair(peer)).count() == 1,
            || format!("peer {index}: {} to {} is described twice", peer.from, peer.to),
        )?;
    }
    Ok(())
}

fn pair(peer: &crate::description::PeerDescription) -> (usize, usize) {
    (peer.from, peer.to)
}

fn faults(description: &Description) -> Checked {
    let faults = &description.faults;
    require(faults.init != Some(0), || "faults.init: 0 is success".to_owned())?;
    if let Some(factor) = faults.event_clock {
        positive("faults.event_clock", factor)?;
    }
    let Some(lost) = &faults.lost else { return Ok(()) };
    require(lost.gpu < description.gpus.len(), || {
        format!("faults.lost.gpu: there is no GPU {}", lost.gpu)
    })?;
    require(lost.code != 0, || "faults.lost.code: 0 is success".to_owned())
}
