//! Exit codes 3, 4 and 5 of the commands that answer with money, and the sentence on stderr that says why.

use super::exit::Outcome;
use super::frame::Frame;
use super::value::Amount;
use crate::advise::{Advice, Recommendation, Rejection};
use crate::catalog::Catalog;
use crate::catalog::select::Filter;
use crate::diag::{InputError, Warning};
use crate::money::Usd;
use crate::price::Cost;
use crate::price::exchange;
use crate::price::listing::Listing;
use crate::report::recommend::RejectedLine;
use crate::workload::Workload;
use std::collections::BTreeSet;

/// The outcome of a search, with its reason on stderr.
pub fn of_search(
    frame: &Frame,
    advice: &Advice,
    fail_over: Option<Amount>,
    (catalog, filter): (&Catalog, &Filter),
) -> Outcome {
    match advice.recommendations.first() {
        Some(best) => within(frame, (best.ranked_total, best.at_least), fail_over),
        None if advice.only_unknown_prices => no_usable_price(frame),
        None => {
            if let Some(where_else) = sold_elsewhere(catalog, filter) {
                frame.complain(&where_else);
            }
            all_rejected(frame, advice)
        }
    }
}

/// With `--strict`, a precision that every GPU lacks is bad input: nothing is answered.
pub fn refuse_strict<'a>(
    workload: &Workload,
    nothing: bool,
    mut reasons: impl Iterator<Item = &'a str>,
) -> Result<(), InputError> {
    if nothing && workload.is_strict() && reasons.all(|reason| reason == "precision-unsupported") {
        let message = "`--strict` refuses the precision on every GPU asked for";
        return Err(InputError::new(message, "name another `--precision`, or other GPUs"));
    }
    Ok(())
}

/// Whether the best row stays within `--fail-over`.
///
/// A cost that lacks a part cannot be said to stay within.
pub fn within(frame: &Frame, (best, at_least): (Usd, bool), fail_over: Option<Amount>) -> Outcome {
    let least = if at_least { "at least " } else { "" };
    match fail_over.map(Amount::usd) {
        Some(limit) if best > limit => {
            frame.complain(&format!("the best row costs {least}{best} USD, --fail-over allows {limit} USD"));
            Outcome::OverLimit
        }
        Some(limit) if at_least => {
            frame.complain(&format!(
                "the best row costs at least {best} USD; with a part whose price is not known, it cannot be said to \
                 stay within the {limit} USD of --fail-over"
            ));
            Outcome::CatalogProblem
        }
        _ => Outcome::Answered,
    }
}

/// Every price that would qualify is unknown, too old or not there: the catalog's fault, not the question's.
pub fn no_usable_price(frame: &Frame) -> Outcome {
    frame.complain("every price that would qualify is unknown or older than --max-age allows");
    Outcome::CatalogProblem
}

/// No offer is left: each reason on stderr. Where only unusable prices stand in the way, the catalog is to blame.
pub fn no_offer(frame: &Frame, rejected: &[RejectedLine], unusable: usize) -> Outcome {
    let is_price =
        |line: &RejectedLine| ["price-unknown", "price-too-old", "gpu-count"].contains(&line.reason);
    if unusable > 0 && rejected.iter().all(is_price) {
        return no_usable_price(frame);
    }
    let reason = |line: &RejectedLine| {
        let nearest = line.nearest.as_ref().map(|miss| format!(": {}", miss.message));
        format!("  {} ({}){}", line.reason, line.count, nearest.unwrap_or_default())
    };
    let reasons: Vec<String> = rejected.iter().map(reason).collect();
    frame.complain(&format!("no offer qualifies; left out by\n{}", reasons.join("\n")));
    Outcome::Nothing
}

/// No row of the catalog passes the filters; with nothing but the age of prices in the way, the catalog is to blame.
pub fn nothing_passes(frame: &Frame, what: &str, filter: &Filter, catalog: &Catalog) -> Outcome {
    let ageless = Filter { max_age: None, ..filter.clone() };
    if filter.max_age.is_some() && !ageless.prices(catalog).is_empty() {
        return no_usable_price(frame);
    }
    let misses = filter.misses(catalog);
    let misses: Vec<String> = misses.iter().map(|(miss, count)| format!("{} {count}", miss.name())).collect();
    frame.complain(&format!("no {what} passes the filters; left out by {}", misses.join(", ")));
    Outcome::Nothing
}

/// Says where a machine is sold that limits on regions leave out; `None` where that is not the reason.
pub fn sold_elsewhere(catalog: &Catalog, filter: &Filter) -> Option<String> {
    let passes = |region| filter.region_miss(catalog, region).is_none();
    let regions: BTreeSet<_> =
        filter.instances.iter().flat_map(|&id| catalog.prices_of(id)).map(|price| price.region).collect();
    let elsewhere = !regions.is_empty() && !regions.iter().any(|&region| passes(region));
    let names: Vec<&str> = regions.iter().map(|&id| catalog.region(id).name.as_str()).collect();
    elsewhere.then(|| {
        format!(
            "the machine is not sold in the regions asked for; the catalog has it in: {}",
            names.join(", ")
        )
    })
}

/// The search rejected everything: each reason with its nearest miss.
pub fn all_rejected(frame: &Frame, advice: &Advice) -> Outcome {
    let reason = |rejection: &Rejection| {
        let nearest = rejection.nearest.as_ref().map(|miss| format!(": {}", miss.message));
        format!("  {} ({}){}", rejection.reason, rejection.count, nearest.unwrap_or_default())
    };
    let reasons: Vec<String> = advice.rejected.iter().map(reason).collect();
    let message = format!("nothing qualifies under the constraints\n{}", reasons.join("\n"));
    frame.complain(&message);
    Outcome::Nothing
}

/// Says of a contract that owes more than the job's share of it what it owes: the totals of rows are shares.
pub fn owed(catalog: &Catalog, best: &Cost) -> Option<Warning> {
    // What nobody offers owes nothing.
    if catalog.source(best.source).is_assumed() {
        return None;
    }
    let (share, owed) = best.total.zip(best.commitment)?;
    let billing = best.billing.name();
    let message = format!(
        "the first row counts {share} USD, the share of the job in a term of {billing}, and so do limits; the contract \
         owes {owed} USD, used or not"
    );
    (owed > share).then_some(Warning { id: "commitment-owed", message })
}

/// The same of the contract that a recommendation is ranked by.
pub fn owed_by(catalog: &Catalog, best: Option<&Recommendation>) -> Option<Warning> {
    let best = best?;
    let is = |cost: &&Cost| cost.billing == best.ranked_billing && cost.total == Some(best.ranked_total);
    owed(catalog, best.costs.iter().find(is)?)
}

/// Says that totals lack parts whose prices are not known.
pub fn parts_unknown<'c>(costs: impl Iterator<Item = &'c Cost>) -> Option<Warning> {
    let count = costs.filter(|cost| cost.at_least && cost.total.is_some()).count();
    let message = format!(
        "{count} total{} storage or egress, whose price there is not in the catalog: at least what is said, and behind \
         all that is known",
        if count == 1 { " lacks" } else { "s lack" }
    );
    (count > 0).then_some(Warning { id: "part-unknown", message })
}

/// What the reader of a list of prices should know.
pub fn price_warnings(listing: &Listing) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = exchange::no_rate_warning(&listing.without_rate).into_iter().collect();
    let unknown = listing.unknown.saturating_sub(listing.without_rate.values().sum());
    if unknown > 0 {
        let message = format!(
            "{unknown} offer{} no known price: they never count as the cheapest",
            if unknown == 1 { " has" } else { "s have" }
        );
        warnings.push(Warning { id: "price-unknown", message });
    }
    if listing.too_old > 0 {
        let message = format!("{} prices are older than --max-age allows and are left out", listing.too_old);
        warnings.push(Warning { id: "price-too-old", message });
    }
    warnings
}
