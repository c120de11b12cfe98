//! The machine's vendor, since vendors name settings differently.

use nearfar_firmware::{Firmware, TableFile};
use serde::{Deserialize, Serialize};

/// The machine's vendor, as far as it decides the names of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // Their names.
pub enum Vendor {
    Dell,
    Hpe,
    Supermicro,
    Lenovo,
    Fujitsu,
    Cisco,
    Huawei,
    Gigabyte,
    Asus,
    AsRock,
    Msi,
    Intel,
}

/// Parts of product names, in lower case.
const PRODUCTS: [(&str, Vendor); 21] = [
    ("dell", Vendor::Dell),
    ("poweredge", Vendor::Dell),
    ("hewlett", Vendor::Hpe),
    ("hpe ", Vendor::Hpe),
    ("proliant", Vendor::Hpe),
    ("supermicro", Vendor::Supermicro),
    ("super micro", Vendor::Supermicro),
    ("lenovo", Vendor::Lenovo),
    ("ibm ", Vendor::Lenovo),
    ("thinksystem", Vendor::Lenovo),
    ("fujitsu", Vendor::Fujitsu),
    ("primergy", Vendor::Fujitsu),
    ("cisco", Vendor::Cisco),
    ("huawei", Vendor::Huawei),
    ("kunpeng", Vendor::Huawei),
    ("gigabyte", Vendor::Gigabyte),
    ("asustek", Vendor::Asus),
    ("asus", Vendor::Asus),
    ("asrock", Vendor::AsRock),
    ("micro-star", Vendor::Msi),
    ("intel corporation", Vendor::Intel),
];

/// OEM ids in the headers of tables.
const OEM_IDS: [(&str, Vendor); 12] = [
    ("DELL", Vendor::Dell),
    ("HP", Vendor::Hpe),
    ("SUPERM", Vendor::Supermicro),
    ("SMCI", Vendor::Supermicro),
    ("LENOVO", Vendor::Lenovo),
    ("IBM", Vendor::Lenovo),
    ("FUJ", Vendor::Fujitsu),
    ("FTS", Vendor::Fujitsu),
    ("CISCO", Vendor::Cisco),
    ("HISI", Vendor::Huawei),
    ("GBT", Vendor::Gigabyte),
    ("_ASUS_", Vendor::Asus),
];

impl Vendor {
    /// From the product's name, else from the tables.
    pub(crate) fn find(product: Option<&str>, firmware: &Firmware) -> Option<Self> {
        let product = product.map(str::to_lowercase).unwrap_or_default();
        let named =
            PRODUCTS.iter().find(|(word, _)| product.contains(word)).map(|(_, vendor)| *vendor);
        let written =
            || firmware.tables.iter().filter_map(oem_id).find_map(|id| Self::from_oem_id(&id));
        named.or_else(written)
    }

    fn from_oem_id(id: &str) -> Option<Self> {
        OEM_IDS.iter().find(|(start, _)| id.starts_with(start)).map(|(_, vendor)| *vendor)
    }

    /// The usual spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dell => "Dell",
            Self::Hpe => "HPE",
            Self::Supermicro => "Supermicro",
            Self::Lenovo => "Lenovo",
            Self::Fujitsu => "Fujitsu",
            Self::Cisco => "Cisco",
            Self::Huawei => "Huawei",
            Self::Gigabyte => "Gigabyte",
            Self::Asus => "ASUS",
            Self::AsRock => "ASRock",
            Self::Msi => "MSI",
            Self::Intel => "Intel",
        }
    }
}

/// The OEM id in a table's header.
pub(crate) fn oem_id(file: &TableFile) -> Option<String> {
    Some(file.state.decoded()?.header().oem_id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_determine_the_vendor() {
        let of = |product: &str| Vendor::find(Some(product), &Firmware::default());
        assert_eq!(of("Dell Inc. PowerEdge R630"), Some(Vendor::Dell));
        assert_eq!(of("HP ProLiant DL380e Gen8"), Some(Vendor::Hpe));
        assert_eq!(of("Supermicro H8QG6"), Some(Vendor::Supermicro));
        assert_eq!(of("FUJITSU PRIMERGY RX300 S7"), Some(Vendor::Fujitsu));
        assert_eq!(of("Example 9000"), None);
    }

    #[test]
    fn oem_ids_determine_the_vendor() {
        assert_eq!(Vendor::from_oem_id("HPQOEM"), Some(Vendor::Hpe));
        assert_eq!(Vendor::from_oem_id("DELL"), Some(Vendor::Dell));
        assert_eq!(Vendor::from_oem_id("ALASKA"), None);
    }
}
