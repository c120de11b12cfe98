//! Several surveys beside each other, each against the first, with real changes framed and one
//! scale for all.

use maud::{Markup, html};
use nearfar_survey::Survey;
use nearfar_survey::compare::{SurveyComparison, compare, usual_between};
use nearfar_view::draw::inline;
use nearfar_view::text::differing::statement;

use super::document::Origin;
use super::figure::figures;
use super::sentence::{sentence, words};
use super::shell::{Section, page};
use super::survey::{HeadingLevel, document, findings, folded, head};
use crate::pictures::{Changes, PictureKind, SurveyPicture, SurveyPictures, same_scale};

/// Surveys that a page shows beside each other.
pub const MAX_BESIDE: usize = 12;

/// The page of two or more surveys, at most [`MAX_BESIDE`].
pub fn surveys(surveys: &[(Survey, Origin)], with_samples: bool) -> String {
    let Some(((first, origin), others)) = surveys.split_first() else { return String::new() };
    let compared: Vec<Result<SurveyComparison, String>> = others
        .iter()
        .map(|(other, _)| {
            compare(first, other, usual_between(&[first, other])).map_err(|error| error.to_string())
        })
        .collect();
    let mut sections = vec![Section::new("verdicts", "What each found", verdicts(surveys))];
    sections.push(Section::new("changes", "What changed", changed(surveys, &compared)));
    for kind in PictureKind::all() {
        sections.extend(beside(kind, surveys, &compared));
    }
    let documents =
        html! { @for (one, origin) in surveys { (document(one, origin, with_samples)) } };
    sections.push(Section::new("documents", "The surveys", documents));
    let title = format!("{} surveys: {} first", surveys.len(), first.machine.short_name());
    page(
        &title,
        &html! { p { "Each survey is compared with the first, " (words(&origin.file)) "." } },
        &sections,
    )
}

fn verdicts(surveys: &[(Survey, Origin)]) -> Markup {
    html! {
        div class="beside" {
            @for (at, (survey, origin)) in surveys.iter().enumerate() {
                article {
                    h3 { (at + 1) ". " (words(&survey.machine.short_name())) }
                    p class="quiet" { (words(&origin.file)) }
                    (head(survey, origin))
                    (findings(survey, HeadingLevel::Fourth))
                }
            }
        }
    }
}

fn changed(surveys: &[(Survey, Origin)], compared: &[Result<SurveyComparison, String>]) -> Markup {
    html! {
        @for (at, one) in compared.iter().enumerate() {
            h3 { (at + 2) ". " (words(&surveys[at + 1].1.file)) }
            @match one {
                Err(why) => { p { (words(why)) } }
                Ok(one) => {
                    @for text in &crate::survey_comparison::sentences(one) {
                        p { (sentence(text)) }
                    }
                    @if !one.differs.is_empty() {
                        details {
                            summary {
                                @if one.differs.len() == 1 {
                                    "1 statement differs"
                                } @else {
                                    (one.differs.len()) " statements differ"
                                }
                            }
                            ul {
                                @for two in &one.differs {
                                    @let statement =
                                        statement(&two.what, &two.first, &two.second);
                                    li { (words(&statement)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn beside(
    kind: PictureKind,
    surveys: &[(Survey, Origin)],
    compared: &[Result<SurveyComparison, String>],
) -> Option<Section> {
    let changes: Vec<Option<Changes<'_>>> = std::iter::once(None)
        .chain(compared.iter().map(|one| {
            one.as_ref().ok().map(Changes::from_comparison).filter(|changes| !changes.is_empty())
        }))
        .collect();
    let mut drawn: Vec<SurveyPictures> = surveys
        .iter()
        .zip(&changes)
        .map(|((survey, _), changes)| kind.draw(survey, changes.as_ref()))
        .collect();
    if drawn.iter().all(|one| one.pictures.is_empty()) {
        return None;
    }
    same_scale(drawn.iter_mut().flat_map(|one| &mut one.pictures));
    let body = if let Some(one) = the_same(&drawn) {
        html! {
            p class="quiet" { "The same in all of them." }
            (figures(one.pictures.iter().map(SurveyPicture::picture), kind.name()))
        }
    } else {
        side_by_side(kind, surveys, &drawn)
    };
    Some(Section::new(kind.name(), kind.title(), body))
}

/// The first one's pictures, where all of them are alike and none has notes: once is enough, in
/// all of the page's width.
fn the_same(drawn: &[SurveyPictures]) -> Option<&SurveyPictures> {
    let markup = |one: &SurveyPictures| {
        one.pictures
            .iter()
            .map(|picture| inline(picture.picture(), "").into_string())
            .collect::<Vec<_>>()
    };
    let (first, others) = drawn.split_first()?;
    let of_first = markup(first);
    let alike = drawn.iter().all(|one| one.notes.is_empty())
        && others.iter().all(|other| markup(other) == of_first);
    alike.then_some(first)
}

fn side_by_side(
    kind: PictureKind,
    surveys: &[(Survey, Origin)],
    drawn: &[SurveyPictures],
) -> Markup {
    html! {
        div class="beside" {
            @for (at, (one, (survey, origin))) in (1..).zip(drawn.iter().zip(surveys)) {
                article {
                    p class="quiet" { (at) ". " (words(&origin.file)) }
                    (folded(survey, kind, for_one(kind, at, one)))
                }
            }
        }
    }
}

/// The pictures of survey number `at`.
fn for_one(kind: PictureKind, at: usize, drawn: &SurveyPictures) -> Markup {
    html! {
        (figures(
            drawn.pictures.iter().map(SurveyPicture::picture),
            &format!("{}-{at}", kind.name()),
        ))
        @if drawn.pictures.is_empty() { p { "It has none." } }
        @for note in &drawn.notes { p class="note opens" { (sentence(note)) } }
    }
}
