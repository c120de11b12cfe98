//! The outgoing interface for a host: the longest prefix in `/proc/net/route` and
//! `/proc/net/ipv6_route`.
//!
//! These files have the main routing table. A local address would leave by loopback, which has no
//! node; it is mapped to the interface of its network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

use crate::attribute::shorten;
use crate::hardware_error::HardwareError;
use crate::source::Source;

/// Flags of a route: up, reject, local table
const UP: u32 = 0x1;
const REJECT: u32 = 0x200;
const LOCAL: u32 = 0x8000_0000;

struct NetworkRoute {
    device: String,
    prefix: u128,
    /// Prefix length in bits.
    length: u32,
    metric: u32,
}

/// The outgoing interface for a host name or address.
pub(super) fn device(source: &Source, host: &str) -> Result<String, HardwareError> {
    let address = address(host)?;
    if address.is_loopback() {
        return Err(HardwareError::Loopback(address));
    }
    let (target, width, routes) = match address {
        IpAddr::V4(four) => (u128::from(four.to_bits()), 32, routes_of_4(source)),
        IpAddr::V6(six) => (six.to_bits(), 128, routes_of_6(source)),
    };
    let leads = |route: &NetworkRoute| {
        (target ^ route.prefix).checked_shr(width - route.length).unwrap_or(0) == 0
    };
    let best =
        routes.into_iter().filter(leads).min_by_key(|route| (width - route.length, route.metric));
    best.map(|route| route.device).ok_or(HardwareError::NoRoute(address))
}

fn address(host: &str) -> Result<IpAddr, HardwareError> {
    if let Ok(address) = host.trim_matches(['[', ']']).parse() {
        return Ok(unmapped(address));
    }
    let found = (host, 0)
        .to_socket_addrs()
        .map_err(|cause| HardwareError::LookUp { host: shorten(host), cause })?;
    let first = found.into_iter().next();
    let first = first.ok_or_else(|| HardwareError::NoAddress { host: shorten(host) })?;
    Ok(unmapped(first.ip()))
}

/// `::ffff:192.0.2.1` is routed as 192.0.2.1.
fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

/// Parses lines of device, destination, gateway, flags, references, use, metric, mask; addresses in
/// native byte order.
fn routes_of_4(source: &Source) -> Vec<NetworkRoute> {
    let text = source.text("/proc/net/route").unwrap_or_default();
    let route = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let address = |index: usize| {
            let number = u32::from_str_radix(fields.get(index)?, 16).ok()?;
            Some(Ipv4Addr::from(number.to_ne_bytes()).to_bits())
        };
        let flags = u32::from_str_radix(fields.get(3)?, 16).ok()?;
        (flags & (UP | REJECT) == UP).then_some(())?;
        Some(NetworkRoute {
            device: (*fields.first()?).to_owned(),
            prefix: u128::from(address(1)?),
            length: address(7)?.leading_ones(),
            metric: fields.get(6)?.parse().ok()?,
        })
    };
    text.lines().skip(1).filter_map(route).collect()
}

/// Parses lines of destination, its length, source, its length, next hop, metric, references, use,
/// flags, device; hexadecimal.
fn routes_of_6(source: &Source) -> Vec<NetworkRoute> {
    let text = source.text("/proc/net/ipv6_route").unwrap_or_default();
    let route = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |index: usize| u32::from_str_radix(fields.get(index)?, 16).ok();
        (number(8)? & (UP | REJECT | LOCAL) == UP).then_some(())?;
        let prefix = u128::from_str_radix(fields.first()?, 16).ok()?;
        Some(NetworkRoute {
            device: (*fields.get(9)?).to_owned(),
            prefix: Ipv6Addr::from_bits(prefix).to_bits(),
            length: number(1).filter(|&length| length <= 128)?,
            metric: number(5)?,
        })
    };
    text.lines().filter_map(route).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[cfg(target_endian = "little")]
    const FOUR: &str = "\
Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
wlan0\t00000000\t010200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
ib0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0
ib1\t0000010A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
gone\t0001010A\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0
";
    const SIX: &str = "\
20010db8000000000000000000000000 20 00000000000000000000000000000000 00 \
         00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
         fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 \
         00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo
20010db8000000000000000000000005 80 00000000000000000000000000000000 00 \
         00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo
";

    #[test]
    #[cfg(target_endian = "little")]
    fn longest_prefix_then_lowest_metric_wins() {
        let source = Source::from_files([("/proc/net/route", FOUR)]);
        for (host, expected) in [
            ("192.0.2.77", "eth0"),
            ("10.2.3.4", "ib0"),
            ("10.1.1.1", "ib1"),
            ("::ffff:10.1.9.9", "ib1"),
        ] {
            assert_eq!(device(&source, host).ok().as_deref(), Some(expected), "{host}");
        }
    }

    #[test]
    fn own_ipv6_addresses_use_their_network() {
        let source = Source::from_files([("/proc/net/ipv6_route", SIX)]);
        assert_eq!(device(&source, "2001:db8::5").unwrap(), "eth1");
        assert_eq!(device(&source, "[2001:dead::5]").unwrap(), "eth0");
    }

    #[test]
    fn unreachable_hosts_are_errors() {
        let source = Source::from_files([("/proc/net/route", "Iface\n")]);
        let refused = |host: &str| device(&source, host).unwrap_err().to_string();
        assert_eq!(refused("192.0.2.1"), "no route leads to 192.0.2.1: see 'ip route'");
        assert!(refused("127.0.0.1").contains("is this machine itself"));
        assert!(refused("no such host").contains("cannot look up 'no such host'"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(text in "(.{0,80}\n){0,3}") {
            let files = [("/proc/net/route", text.clone()), ("/proc/net/ipv6_route", text)];
            let source = Source::from_files(files);
            let _ = device(&source, "192.0.2.1");
            let _ = device(&source, "2001:db8::1");
        }
    }
}
