//! DSDT and SSDT; the tables are those that nearfar-firmware compares with iasl.

use std::path::Path;

use snapbox::{assert_data_eq, str};

use super::make::{TableBytes, table};
use super::shown;

#[test]
fn definition_block_shows_claims_and_host_bridges() {
    let iasl = |name: &str| {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/acpi");
        std::fs::read(seeds.join(name)).unwrap()
    };
    assert_data_eq!(
        shown(&[iasl("dsdt-iasl")]),
        str![[r#"
DSDT, revision 2, 534 bytes, checksum good, by NEAR FAR ASL
/sys/firmware/acpi/tables/DSDT

6 of 8 devices claim a proximity domain (_PXM). Code is not evaluated: 'iasl -d' shows it.

Claims: devices below one inherit its domain
device             domain  offset
/_SB_.CPU0              1     142
/_SB_.PC00              0     194
/_SB_.PC20          74565     315
/_SB_.PC40       computed     363
/_SB_.PC60       computed     401
/_SB_.PC60.PWR0     65535     423
/_SB_.PC20.RP01  computed     461
/_SB_.PC20.RP02  computed     487
/_TZ_.THM0              1     528

Host bridges
device      id       UID  segment       bus  offset
/_SB_.PC00  PNP0A08    0        0        00     148
/_SB_.PC20  PNP0A08  P20                 20     257
/_SB_.PC40  PNP0A08                computed     328
/_SB_.PC60  PNP0A03                             384

"#]]
    );
    assert_data_eq!(
        shown(&[iasl("ssdt-iasl")]),
        str![[r#"
SSDT, revision 2, 123 bytes, checksum good, by NEAR FAR ASL
/sys/firmware/acpi/tables/SSDT

1 of 1 devices claims a proximity domain (_PXM). Code is not evaluated: 'iasl -d' shows it.

Claims: devices below one inherit its domain
device         domain  offset
/_SB_.PC80          3      66
/_SB_.CL00  malformed     109

Host bridges
device      id        UID  offset
/_SB_.CL00  ACPI0016    7      80

"#]]
    );
}

#[test]
fn code_that_is_not_decoded_is_listed() {
    let claim = b"\x5b\x82\x0aDEV0\x08_ADR\x1f";
    let claim = TableBytes::with_size(claim.len()).put(0, claim);
    assert_data_eq!(
        shown(&[table("DSDT", 2, TableBytes::with_size(36), &[claim])]),
        str![[r#"
DSDT, revision 2, 49 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/DSDT

0 of 1 devices claim a proximity domain (_PXM). Code is not evaluated: 'iasl -d' shows it.

Code that is not decoded: devices and claims in it are unknown
offset  bytes  in     why
    43      5  /DEV0  a term is longer than the package around it
    48      1  /      opcode 0x1f has no meaning here

What is wrong with it
  offset 43: a term is longer than the package around it

"#]]
    );
    assert_data_eq!(
        shown(&[table("DSDT", 2, TableBytes::with_size(44), &[])]),
        str![[r#"
DSDT, revision 2, 44 bytes, checksum good, by HAND MADE
/sys/firmware/acpi/tables/DSDT

Code that is not decoded: devices and claims in it are unknown
offset  bytes  in  why
    36      8  /   the content is only zeros: 'nearfar capture' removes it from a copy

"#]]
    );
}
