//! What a plan takes for granted, and what its reader should know, in sentences.

use super::demand::{Horizon, MICRO, YEAR_HOURS};
use super::offer::{Candidate, Choice, Priced, Unit};
use super::{Bill, Market, Part, Whole};
use crate::catalog::Catalog;
use crate::catalog::price::Billing;
use crate::diag::{Assumption, Warning};
use crate::money::Usd;
use crate::price::listing::gang;
use crate::price::spot::outlook::{self, SpotFlags};
use std::collections::BTreeSet;

fn assume(id: &'static str, value: String, why: &str) -> Assumption {
    Assumption { id, value, why: why.to_owned(), source: String::new() }
}

fn instances(micro: u64) -> String {
    (micro as f64 / MICRO as f64).to_string()
}

/// A week that was asked for instead of a file.
pub fn profile(hours_per_day: f64, days_per_week: u32, micro: u64) -> Assumption {
    let value =
        format!("{} instances, {hours_per_day} h a day, {days_per_week} days a week", instances(micro));
    assume("usage-profile", value, "the same hours of the same days of each week")
}

/// Usage that does not have the length of the horizon.
pub fn length(hours: usize, horizon: Horizon) -> Option<Assumption> {
    let value = format!("{hours} h");
    match hours.cmp(&horizon.hours()) {
        std::cmp::Ordering::Less => Some(assume(
            "usage-repeated",
            value,
            &format!("repeated until the horizon of {} h is full", horizon.hours()),
        )),
        std::cmp::Ordering::Greater => Some(assume(
            "usage-cut",
            value,
            &format!("only its latest {} h count, the length of the horizon", horizon.hours()),
        )),
        std::cmp::Ordering::Equal => None,
    }
}

/// Growth, in per cent a year.
pub fn growth(percent: f64) -> Option<Assumption> {
    (percent != 0.0).then(|| {
        assume(
            "usage-growth",
            format!("{percent} % a year"),
            "each hour uses so much more than the same hour a year before; compounded from hour to hour",
        )
    })
}

/// What one instance is.
pub fn unit(unit: Unit) -> Option<Assumption> {
    (unit == Unit::Gpu).then(|| {
        assume(
            "usage-unit",
            "1 GPU".to_owned(),
            "no machine is asked for by name or size, so usage counts machines with exactly one GPU; `--gpu SPEC:N` counts those with N",
        )
    })
}

/// What one instance is where several machines are only sold together.
pub fn together(catalog: &Catalog, best: &Candidate) -> Option<Assumption> {
    let machine = catalog.instance(best.offers.first()?.instance);
    let count = machine.smallest_count;
    (count > 1).then(|| {
        let value = format!("{count} {} {}s", machine.name, machine.unit.name());
        assume("usage-unit", value, "the fewest that are sold together; prices are of all of them")
    })
}

/// Which of several regions or GPUs was taken.
pub fn place(catalog: &Catalog, choice: &Choice, best: &Candidate) -> Option<Assumption> {
    let offer = best.offers.first().filter(|_| choice.candidates.len() > 1)?;
    let by_gpu = choice.candidates.iter().any(|other| {
        other
            .offers
            .first()
            .is_some_and(|o| catalog.instance(o.instance).gpu != catalog.instance(offer.instance).gpu)
    });
    let (value, what) = if by_gpu {
        (catalog.gpu(catalog.instance(offer.instance).gpu).name.clone(), "GPUs")
    } else {
        (catalog.region(offer.region).name.clone(), "regions")
    };
    let why = format!("the lowest total of {} {what} that qualify", choice.candidates.len());
    Some(assume("cheapest-place", value, &why))
}

/// When terms begin, and what is owed of long ones.
pub fn terms(market: &Market, horizon: Horizon) -> Vec<Assumption> {
    let terms: BTreeSet<usize> = market.commitments.iter().map(|it| it.term_hours as usize).collect();
    let mut all = Vec::new();
    if terms.first().is_some_and(|&shortest| shortest < horizon.hours()) {
        all.push(assume(
            "term-starts",
            "hour 0".to_owned(),
            "terms begin with the horizon and follow each other; each may be of another size",
        ));
    }
    if terms.last().is_some_and(|&longest| longest > horizon.hours()) {
        let years = horizon.hours() / YEAR_HOURS;
        let s = if years == 1 { "" } else { "s" };
        all.push(assume(
            "term-in-full",
            format!("{years} year{s}"),
            "a term that is longer than the horizon is owed in full and helps within the horizon only",
        ));
    }
    all
}

/// Which commitments are of whole instances, and which may be of a part of one.
pub fn parts(market: &Market, whole: Whole) -> Option<Assumption> {
    let kinds: BTreeSet<Billing> = market.commitments.iter().map(|it| it.billing).collect();
    let named = |in_parts: bool| {
        let of = kinds.iter().filter(|kind| match whole {
            Whole::Never => in_parts,
            Whole::Always => !in_parts,
            Whole::ByKind => kind.is_sold_in_parts() == in_parts,
        });
        of.map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    };
    let said = [(named(false), "whole instances"), (named(true), "in parts")];
    let said = said.iter().filter(|(kinds, _)| !kinds.is_empty());
    let value = said.map(|(kinds, how)| format!("{kinds}: {how}")).collect::<Vec<_>>().join("; ");
    let why = match whole {
        Whole::ByKind => {
            "savings plans are a sum of money for each hour, which may buy a part of an instance; the others are of \
             whole ones: --whole and --whole=false treat all alike"
        }
        Whole::Always => "asked for by --whole",
        Whole::Never => "asked for by --whole=false, though only spend-based plans are sold so",
    };
    (!value.is_empty()).then(|| assume("commitment-parts", value, why))
}

/// What a plan of both sorts leaves open.
pub fn gap(gap: Option<Usd>) -> Option<Assumption> {
    let why = "commitments to whole instances and to parts are weighed for each instance of the load, not in every mix: \
               the plan is at most so much dearer than the cheapest one";
    gap.map(|usd| assume("mix-left-open", format!("at most {usd} USD"), why))
}

/// What spot is priced at, what is known of its interruptions, and how many reruns it bears. A usage says nothing of jobs
/// and their checkpoints, so which work is done twice is not known, and nothing is made up for it.
pub fn spot(catalog: &Catalog, candidate: &Candidate, priced: &Priced, bill: &Bill) -> Option<Assumption> {
    let tier = bill.tiers.iter().find(|tier| tier.part == Part::Spot)?;
    let offer = &candidate.offers[priced.spot?];
    let count = catalog.instance(offer.instance).smallest_count.max(1);
    let gangs = [gang(catalog, offer.instance, count)];
    let flags = SpotFlags::default();
    let outlook = outlook::of(catalog, &gangs[0], None, &flags, None);
    let hours = tier.busy as f64 / MICRO as f64;
    let losses = [&outlook.expected, &outlook.low, &outlook.high].map(|it| it.interruptions_per_hour);
    let known = outlook::assumptions(catalog, &flags, &gangs, (false, false));
    let source = known.into_iter().find(|known| known.id == "spot-interruptions").map(|known| known.source);
    let of_hours = source.as_ref().map_or_else(String::new, |_| {
        let [expected, low, high] = losses.map(|rate| (rate * hours).round());
        let [rate, least, most] = losses;
        format!(
            "; at the measured {rate} ({least} to {most}) interruptions an hour these hours have {expected} ({low} to {high})"
        )
    });
    let bears = (priced.market.on_demand.to_f64() / offer.per_hour?.to_f64() - 1.0) * 100.0;
    let why = format!(
        "usage names no job, so that it is not known which work has checkpoints and what is done twice: reruns are not in \
         it{of_hours}. Spot stays below on-demand while they add less than {bears:.0} % to its hours; \
         `recommend --billing spot` counts them for a job"
    );
    Some(Assumption {
        source: source.unwrap_or_default(),
        ..assume("spot-without-reruns", "price of the hour".to_owned(), &why)
    })
}

/// Contracts that never pay, and plans that are spread over providers or regions.
pub fn warnings(catalog: &Catalog, candidate: &Candidate, priced: &Priced, bill: &Bill) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let dear: Vec<String> = priced
        .market
        .commitments
        .iter()
        .filter(|it| it.per_hour >= priced.market.on_demand)
        .map(|it| format!("{} at {} USD/h", it.billing.name(), it.per_hour))
        .collect();
    if !dear.is_empty() {
        let message = format!(
            "not below on-demand at {} USD/h, so that no usage makes them pay: {}",
            priced.market.on_demand,
            dear.join(", ")
        );
        warnings.push(Warning { id: "commitment-never-pays", message });
    }
    let place = |part: Part| match part {
        Part::Commitment(at) => priced.commitments[at],
        Part::Spot => priced.spot.unwrap_or(priced.on_demand),
        Part::OnDemand => priced.on_demand,
    };
    let offers = bill.tiers.iter().map(|tier| &candidate.offers[place(tier.part)]);
    let places: BTreeSet<String> = offers
        .map(|offer| {
            let instance = catalog.instance(offer.instance);
            let provider = &catalog.provider(instance.provider).name;
            format!("{provider} {}", catalog.region(offer.region).name)
        })
        .collect();
    if places.len() > 1 {
        let places: Vec<String> = places.into_iter().collect();
        let message = format!(
            "the tiers are bought in several places ({}): --provider and --region keep them in one",
            places.join(", ")
        );
        warnings.push(Warning { id: "several-places", message });
    }
    warnings
}
