//! Names of machines, and of the places of their surveys.

use std::collections::HashMap;

use crate::fleet::surveys::FleetSurvey;

/// The name of each survey's machine.
pub(crate) fn names(surveys: &[FleetSurvey]) -> Vec<String> {
    let by_file = surveys_by_file(surveys);
    let name = |survey: &FleetSurvey| name_of(survey, by_file[&survey.place.number] > 1);
    surveys.iter().map(name).collect()
}

/// The file of each survey, with the line where it holds several.
pub(crate) fn sources(surveys: &[FleetSurvey]) -> Vec<String> {
    let by_file = surveys_by_file(surveys);
    let source = |survey: &FleetSurvey| survey.source(by_file[&survey.place.number] > 1);
    surveys.iter().map(source).collect()
}

/// How many surveys each file has, by its number.
pub(crate) fn surveys_by_file(surveys: &[FleetSurvey]) -> HashMap<usize, usize> {
    let mut by_file: HashMap<usize, usize> = HashMap::new();
    for survey in surveys {
        *by_file.entry(survey.place.number).or_default() += 1;
    }
    by_file
}

/// The name of a survey's machine; the file may hold several surveys.
pub(crate) fn name_of(survey: &FleetSurvey, holds_several: bool) -> String {
    match (survey.host.as_ref().or(survey.kept_name.as_ref()), holds_several) {
        (Some(name), _) => name.clone(),
        (None, false) => survey.file_stem(),
        (None, true) => format!("{}:{}", survey.file_stem(), survey.line),
    }
}
