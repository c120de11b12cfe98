//! Documents are read as they were written.

use nearfar_devices::DevicesDocument;

use crate::document_by_hand::document;

#[test]
fn documents_are_read_as_they_were_written() {
    let text = serde_json::to_string(&document()).unwrap();
    assert_eq!(serde_json::from_str::<DevicesDocument>(&text).unwrap(), document());
}
