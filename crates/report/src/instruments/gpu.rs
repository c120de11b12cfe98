//! GPUs: which node is nearest, and what copies cost by program, memory and GPU.

use nearfar_survey::{CopyTreatment, Gpu, GpuTable};

use super::PartView;
use crate::pictures::options::PictureOptions;
use crate::pictures::survey_pictures::SurveyPictures;
use crate::survey::csv::cells;

impl PartView for Gpu {
    fn text(&self) -> String {
        String::new()
    }

    fn answer(&self) -> Option<String> {
        None
    }

    fn csv(&self) -> String {
        let rates = self.bandwidth.iter().chain(&self.peer_bandwidth).map(table_csv);
        let latencies = self.latency.iter().chain(&self.peer_latency).map(table_csv);
        rates.chain(latencies).collect()
    }

    fn draw(&self, _: &PictureOptions<'_>) -> SurveyPictures {
        SurveyPictures::new(vec![], vec![])
    }
}

fn table_csv<T: CopyTreatment>(table: &GpuTable<T>) -> String {
    cells(&table.part.matrix, "gpus,peer,direction,memory,size_bytes", |cell| {
        let copy = cell.treatment.copy();
        [
            copy.gpus.join(" "),
            copy.peer.clone().unwrap_or_default(),
            copy.direction.clone(),
            copy.memory.clone().unwrap_or_default(),
            copy.size_bytes.to_string(),
        ]
    })
}
