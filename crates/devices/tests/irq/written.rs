//! Documents are read as they were written.

use nearfar_devices::irq::IrqDocument;

use crate::document_by_hand::document;
use crate::made_machine::MadeInterrupts;

#[test]
fn documents_are_read_as_they_were_written() {
    for document in [document(), MadeInterrupts::two_nodes().since_boot()] {
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(serde_json::from_str::<IrqDocument>(&text).unwrap(), document);
    }
}
