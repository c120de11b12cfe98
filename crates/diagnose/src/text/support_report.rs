//! The evidence for a vendor's support: plain text that names the table, the offset, the bytes and
//! the rule.
//!
//! It contains no private data: no serial number, no host name, no network address, and of the
//! command line only the options about NUMA.

use nearfar_firmware::TableFile;
use nearfar_firmware::acpi::TableHeader;
use nearfar_model::is_obeyed;
use nearfar_view::text::paragraph;

use super::finding_sentence;
use super::verdict_sentence::without_hint;
use crate::{
    Diagnosis, DiagnosisFinding, DiagnosisVerdict, Evidence, Severity, WitnessStatement, Witnesses,
};

/// Columns of a mail.
const WIDTH: usize = 76;

/// The report.
pub fn support_report(diagnosis: &Diagnosis, witnesses: &Witnesses) -> String {
    let mut text = format!("Subject: {}\n\n", subject(diagnosis));
    text += &machine(diagnosis, witnesses);
    let title = if reports_fault(diagnosis) { "What is wrong" } else { "Verdict" };
    text += &section(title, &wrapped(&without_hint(diagnosis), ""));
    let grave = diagnosis.findings.iter().filter(|finding| finding.severity <= Severity::Warning);
    let findings: String = grave.map(finding).collect();
    if !findings.is_empty() {
        text += &section("Evidence", findings.trim_end());
    }
    text += &section("What we ask for", &wrapped(request(diagnosis), ""));
    text += &format!(
        "Written by nearfar {} from the machine's tables and log.\nTo reproduce: nearfar \
         diagnose --json\n",
        env!("CARGO_PKG_VERSION")
    );
    // Tables and logs are untrusted, and may contain control characters.
    text.replace(|c: char| c != '\n' && is_obeyed(c), "?")
}

fn machine(diagnosis: &Diagnosis, witnesses: &Witnesses) -> String {
    const UNKNOWN: &str = "unknown";
    let identity = witnesses.topology.as_ref().map(|topology| &topology.identity);
    let statements = || diagnosis.witnesses.iter().flat_map(|testimony| &testimony.statements);
    let model = statements().find_map(|statement| {
        if let WitnessStatement::CpuModel { name } = statement { Some(name.as_str()) } else { None }
    });
    let packages = statements().find_map(|statement| {
        if let WitnessStatement::Packages { packages } = statement { Some(packages) } else { None }
    });
    let product = identity.and_then(|identity| identity.product.as_deref()).unwrap_or(UNKNOWN);
    let mut text = format!("Machine:    {product}\nProcessor:  {}\n", model.unwrap_or(UNKNOWN));
    text.extend(packages.map(|packages| format!("Packages:   {packages}\n")));
    let kernel = identity
        .and_then(|identity| identity.kernel.as_deref())
        .or_else(|| witnesses.log.release());
    let kernel = kernel.map_or_else(|| UNKNOWN.to_owned(), |kernel| format!("Linux {kernel}"));
    text += &format!("Kernel:     {kernel}\n");
    let makers: String = witnesses.firmware.tables.iter().filter_map(table).collect();
    if !makers.is_empty() {
        text += &format!("Tables:\n{makers}");
    }
    text + "\n"
}

/// Name, length, revision and makers of a table about nodes.
fn table(file: &TableFile) -> Option<String> {
    const ABOUT_NODES: [&str; 8] = ["SRAT", "SLIT", "HMAT", "MSCT", "APIC", "CEDT", "CRAT", "CDIT"];
    let header = file.state.decoded()?.header();
    ABOUT_NODES.contains(&file.name.as_str()).then(|| {
        let TableHeader { length_bytes, revision, oem_revision, .. } = header;
        let [oem, table, compiler] =
            [&header.oem_id, &header.oem_table_id, &header.creator_id].map(|text| text.trim());
        format!(
            "  {:4}  {length_bytes} bytes, revision {revision}, OEM {oem} {table} \
             0x{oem_revision:08x}, compiler {compiler}\n",
            file.name
        )
    })
}

fn finding(finding: &DiagnosisFinding) -> String {
    wrapped(&finding_sentence::sentence(finding), "")
        + &finding.evidence.iter().map(piece).collect::<String>()
        + "\n"
}

fn piece(evidence: &Evidence) -> String {
    let place = evidence.public_place.as_ref().unwrap_or(&evidence.place);
    format!("  {}, {place}:\n{}", evidence.source, wrapped(&evidence.excerpt, "    "))
}

fn request(diagnosis: &Diagnosis) -> &'static str {
    use DiagnosisVerdict::*;
    match diagnosis.verdict {
        WithheldByFirmware => {
            "A BIOS that describes each memory and its processors in the SRAT, and their distances \
             in the SLIT; or the name of the setting that turns this on."
        }
        WithheldByHypervisor => {
            "Virtual NUMA nodes for this guest, bound to the host's; or the confirmation that the \
             guest runs on one node of its host."
        }
        RefusedByKernel | VisibleButDoubtful => {
            "A BIOS whose tables are correct in the places shown above (ACPI specification, \
             sections SRAT, SLIT and HMAT)."
        }
        TurnedOff => "Nothing: the kernel's own command line turns NUMA off.",
        ImpossibleInKernel => "Nothing: this kernel was built without NUMA.",
        Uniform | Visible => "Nothing: no fault was found.",
        Unknown => "The SRAT and the SLIT of this machine: they could not be read.",
    }
}

/// Whether the vendor of the tables has to correct them.
fn reports_fault(diagnosis: &Diagnosis) -> bool {
    use DiagnosisVerdict::*;
    matches!(
        diagnosis.verdict,
        WithheldByFirmware | WithheldByHypervisor | RefusedByKernel | VisibleButDoubtful
    )
}

fn subject(diagnosis: &Diagnosis) -> &'static str {
    if reports_fault(diagnosis) {
        "NUMA is not presented correctly to the operating system"
    } else {
        "How NUMA is presented to the operating system"
    }
}

fn section(title: &str, body: &str) -> String {
    format!("{title}\n{}\n{}\n\n", "-".repeat(title.len()), body.trim_end())
}

/// Lines no longer than the width, each after an indent.
fn wrapped(text: &str, indent: &str) -> String {
    let words = text.split_whitespace().map(str::to_owned);
    paragraph::filled(words, WIDTH, indent, indent).into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_mail_and_paths_lose_their_folders() {
        let text = wrapped(&"word ".repeat(40), "    ");
        assert!(
            text.lines().all(|line| line.len() <= WIDTH && line.starts_with("    word")),
            "{text}"
        );
        let place =
            |path| Evidence::in_file("SRAT", path, Some("offset 48"), "").public_place.unwrap();
        assert_eq!(place("/home/me/case/SRAT"), "SRAT, offset 48");
        let kernels = "/sys/firmware/acpi/tables/SRAT";
        assert_eq!(place(kernels), format!("{kernels}, offset 48"));
    }
}
