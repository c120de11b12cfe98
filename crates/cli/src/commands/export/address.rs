//! `--listen`: an address, on this machine's own interface unless another one is named.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListenAddress(pub(super) SocketAddr);

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

impl FromStr for ListenAddress {
    type Err = String;

    /// `127.0.0.1:9934`, `[::1]:9934`; a port alone (`9934`, `:9934`) is on the loopback interface.
    fn from_str(text: &str) -> Result<Self, String> {
        let port = text.strip_prefix(':').unwrap_or(text).parse();
        let address = port.map(|port| SocketAddr::new(LOOPBACK, port)).or_else(|_| text.parse());
        address
            .map(Self)
            .map_err(|_| "give an address and a port, such as 127.0.0.1:9934".to_owned())
    }
}

impl ListenAddress {
    /// Whether only this machine reaches it.
    pub(super) fn is_loopback(self) -> bool {
        self.0.ip().is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_on_the_loopback_interface() {
        let parse = |text: &str| text.parse::<ListenAddress>().map(|it| it.0.to_string()).ok();
        for text in ["9934", ":9934", "127.0.0.1:9934"] {
            assert_eq!(parse(text).as_deref(), Some("127.0.0.1:9934"));
        }
        assert_eq!(parse("[::1]:80").as_deref(), Some("[::1]:80"));
        for text in ["", "host:80", "127.0.0.1", "70000", "::1"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(!ListenAddress::from_str("0.0.0.0:1").unwrap().is_loopback());
    }
}
