//! Colours of links by their measured costs. Labels state the costs, too.

use maud::{Markup, html};

use crate::draw::canvas::{all, line, text, with_tooltip};
use crate::draw::figure::figure;
use crate::draw::label::{SIZE, width};
use crate::draw::{LinkRoute, PlanLink};

/// Of cheap, middling and costly links: blue, grey and orange differ for all eyes.
pub(crate) const CLASSES: [&str; 3] = ["s0", "s6", "s1"];
/// Costs whose ends differ less have no classes.
const ALIKE: f64 = 1.05;
/// A line of the key, and from it to its words and from there to the next line, user units.
const SAMPLE: f64 = 28.0;
const AFTER: f64 = 6.0;
const APART: f64 = 24.0;

/// Thirds of the range of costs.
pub(crate) struct CostClasses {
    /// The least and the largest cost; none where all are alike.
    ends: Option<[f64; 2]>,
    costs: Vec<f64>,
}

impl CostClasses {
    pub(crate) fn new(links: &[&PlanLink]) -> Self {
        let costs = links.iter().filter_map(|link| link.cost_ns);
        let costs: Vec<f64> = costs.filter(|cost| cost.is_finite() && *cost > 0.0).collect();
        let low = costs.iter().copied().fold(f64::INFINITY, f64::min);
        let high = costs.iter().copied().fold(0.0, f64::max);
        Self { ends: (high > low * ALIKE).then_some([low, high]), costs }
    }

    /// The class of a link with a cost.
    pub(crate) fn class(&self, link: &PlanLink) -> Option<&'static str> {
        self.third(link.cost_ns?).map(|third| CLASSES[third])
    }

    fn third(&self, cost: f64) -> Option<usize> {
        let [low, high] = self.ends?;
        let third = ((cost - low) / (high - low) * 3.0) as usize;
        (low..=high).contains(&cost).then_some(third.min(2))
    }

    pub(crate) fn line(&self, route: &LinkRoute<'_>) -> Markup {
        let class = self.class(route.link).unwrap_or(route.link.source.class());
        with_tooltip(&route.link.text(), &line(class, route.from, route.to))
    }

    /// What the colours mean; nothing without any.
    pub(crate) fn key(&self, y: f64) -> Option<Markup> {
        self.ends?;
        let mut x = 0.0;
        let samples = CLASSES.iter().enumerate().filter_map(|(third, class)| {
            let here = self.costs.iter().copied().filter(|cost| self.third(*cost) == Some(third));
            let low = here.clone().reduce(f64::min)?;
            let words = match here.reduce(f64::max)? {
                high if figure(high) == figure(low) => format!("{} ns", figure(low)),
                high => format!("{} to {} ns", figure(low), figure(high)),
            };
            let sample = html! {
                g stroke-width="2.4" { (line(class, (x, y + 9.0), (x + SAMPLE, y + 9.0))) }
                (text("q", x + SAMPLE + AFTER, y + SIZE, &words))
            };
            x += SAMPLE + AFTER + width(&words) + APART;
            Some(sample)
        });
        let samples: Vec<Markup> = samples.collect();
        Some(all(samples))
    }
}
