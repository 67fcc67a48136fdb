//! `cost`: what machines cost for some hours, contract by contract.

use crate::advise::quota::{Launch, Quota, Shortfall, shortfall};
use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::cli::args::{CostArgs, CostLimitArgs};
use crate::cli::exit::Outcome;
use crate::cli::frame::Frame;
use crate::cli::value::Amount;
use crate::cli::{discount, limit, quota, verdict};
use crate::diag::{Assumption, InputError};
use crate::money::{Usd, UsdPerHour};
use crate::price::listing::{CostRow, Detail, Listing, Query, SpotQuestion, gang, list_allowed};
use crate::price::part;
use crate::price::spot::outlook::assumptions;
use crate::report::cost::{CostAnswer, over_limit, over_quota};
use crate::report::plot_commitments;
use crate::report::recommend::RejectedLine;
use std::path::Path;

/// Hours of a month, by the contract.
const MONTH_HOURS: f64 = 730.0;

/// Answers `cost`.
pub fn run(frame: &Frame, args: CostArgs) -> anyhow::Result<Outcome> {
    let usage = frame.group(args.usage)?;
    let asked = frame.group(args.filter)?;
    let limits = frame.group(args.limit)?;
    let extras = frame.group(args.bill)?.extras();
    let spot = frame.group(args.spot)?;
    let hours = usage.hours.map_or(MONTH_HOURS, |hours| hours.0);
    let sections = Sections { constants: true, ..Sections::PRICES };
    let mut catalog = frame.catalog_for(sections, || CostAnswer::nothing(hours))?;
    let discounts = discount::apply(frame.project()?, &mut catalog)?;
    let mut filter = limit::cost_filter(&asked, &catalog, frame.today()?)?;
    limit::sold_together(&catalog, &filter, usage.nodes)?;
    let in_usd = limits.max_hourly.or(limits.budget).or(limits.fail_over).is_some();
    frame.confirm_currency(&catalog, &filter, in_usd)?;
    let billing = std::mem::take(&mut filter.billing);
    let query = Query {
        detail: detail(&filter),
        filter,
        billing: if billing.is_empty() { Billing::ALL.to_vec() } else { billing },
        nodes: usage.nodes,
        gpus: usage.gpus,
        max_gpus: usage.max_gpus,
        min_spot_discount: limits.min_spot_discount.map(|percent| percent.0 / 100.0),
        hours,
        extras,
        spot: Some(SpotQuestion {
            flags: limit::spot(&spot),
            deadline_hours: limits.deadline.map(|hours| hours.0),
        }),
    };
    let quotas = limits.quota.as_deref().map(|file| quota::read(file, &catalog)).transpose()?;
    let (mut listing, short) = within_quotas(&catalog, &query, &quotas.unwrap_or_default());
    let mut rejected = rejected(&catalog, &mut listing, &limits, &query);
    rejected.extend(short.map(|(launch, short)| over_quota(&catalog, &launch, &short, listing.not_allowed)));
    let totals = |row: &CostRow| row.cost.total.map(|total| (row.cost.at_least, total));
    let cheapest = listing.rows.iter().filter_map(totals).min();
    listing.rows.truncate(limits.top.map_or(usize::MAX, |top| top as usize));
    let body = CostAnswer::new(&catalog, query.hours, &listing.rows).rejecting(rejected);
    let rejected = body.rejected.clone();
    let picture = args.plot.as_deref().map(|path| picture(&body, path)).transpose()?;
    let mut warnings = verdict::price_warnings(&listing);
    warnings.extend(listing.rows.first().and_then(|row| verdict::owed(&catalog, &row.cost)));
    warnings.extend(verdict::parts_unknown(listing.rows.iter().map(|row| &row.cost)));
    let spot = spot_assumptions(&catalog, &query, &listing);
    let assumptions = [spot, discounts, part::assumptions(&extras)].concat();
    if let Some((path, svg)) = picture {
        frame.write_file(path, frame.picture(svg).as_bytes())?;
    }
    frame.answer(&catalog, &assumptions, &warnings, body)?;
    let Some((at_least, cheapest)) = cheapest else {
        if let Some(where_else) = verdict::sold_elsewhere(&catalog, &query.filter) {
            frame.complain(&where_else);
            return Ok(Outcome::Nothing);
        }
        let unknown = rejected.iter().filter(|line| line.reason == "price-unknown").count();
        return Ok(verdict::no_offer(frame, &rejected, listing.unknown + listing.too_old + unknown));
    };
    Ok(verdict::within(frame, (cheapest, at_least), limits.fail_over))
}

/// Break-even lines of the one machine that is asked for, and the file that they go to.
fn picture<'p>(body: &CostAnswer, path: &'p Path) -> Result<(&'p Path, String), InputError> {
    let kinds = body.kinds().map_err(|why| {
        let hint =
            "draw one machine that is sold with a term: `--instance PROVIDER/TYPE`, without `--billing`";
        InputError::new(format!("`--plot {}`: {why}", path.display()), hint)
    })?;
    Ok((path, plot_commitments::break_even_svg(&kinds)))
}

/// The prices that quotas allow, and of the others the one that needs least more.
fn within_quotas(
    catalog: &Catalog,
    query: &Query,
    quotas: &[Quota],
) -> (Listing, Option<(Launch, Shortfall)>) {
    let mut nearest: Option<(Launch, Shortfall)> = None;
    let over = |short: &Shortfall| short.needed.unwrap_or(f64::INFINITY) / short.limit.max(f64::MIN_POSITIVE);
    let falls_back = query.spot.is_some_and(|spot| spot.flags.fallback_after.is_some());
    let listing = list_allowed(catalog, query, &mut |price, nodes| {
        let (instance, region, billing) = (price.instance, price.region, price.billing);
        let launch = Launch { instance, nodes, region, billing, falls_back };
        let Some(short) = shortfall(catalog, quotas, &launch) else { return true };
        if nearest.as_ref().is_none_or(|(_, other)| over(&short) < over(other)) {
            nearest = Some((launch, short));
        }
        false
    });
    (listing, nearest)
}

/// What the spot rows took for granted.
fn spot_assumptions(catalog: &Catalog, query: &Query, listing: &Listing) -> Vec<Assumption> {
    let on_spot = listing.rows.iter().filter(|row| row.cost.billing == Billing::Spot);
    let gangs: Vec<_> = on_spot.map(|row| gang(catalog, row.instance, row.nodes)).collect();
    let flags = query.spot.map(|spot| spot.flags).filter(|_| !gangs.is_empty());
    flags.map(|flags| assumptions(catalog, &flags, &gangs, (true, false))).unwrap_or_default()
}

/// Takes out the rows that break a limit, and says why they and others are not in the answer.
fn rejected(
    catalog: &Catalog,
    listing: &mut Listing,
    limits: &CostLimitArgs,
    query: &Query,
) -> Vec<RejectedLine> {
    let (hourly, budget) = (limits.max_hourly.map(Amount::per_hour), limits.budget.map(Amount::usd));
    let (mut dear, mut over, mut kept, mut unknown) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for row in std::mem::take(&mut listing.rows) {
        let (rate, total) = (row.cost.usd_per_hour, row.cost.total);
        if (hourly.is_some() && rate.is_none()) || (budget.is_some() && total.is_none()) {
            unknown += 1;
        } else if row.cost.at_least && budget.is_some_and(|limit| total.is_some_and(|least| least <= limit)) {
            // No budget holds for what is not wholly known.
            unknown += 1;
        } else if let Some(rate) = rate.filter(|&rate| hourly.is_some_and(|limit| rate > limit)) {
            dear.push((row, rate.to_f64()));
        } else if let Some(total) = total.filter(|&total| budget.is_some_and(|limit| total > limit)) {
            over.push((row, total.to_f64()));
        } else {
            kept.push(row);
        }
    }
    let line = |reason, unit, limit: Option<f64>, rows: &[(CostRow, f64)]| {
        let rows: Vec<(&CostRow, f64)> = rows.iter().map(|(row, figure)| (row, *figure)).collect();
        over_limit(catalog, reason, unit, limit?, &rows)
    };
    let mut lines: Vec<RejectedLine> = [
        line("max-hourly", "USD/hour", hourly.map(UsdPerHour::to_f64), &dear),
        line("budget", "USD", budget.map(Usd::to_f64), &over),
    ]
    .into_iter()
    .flatten()
    .collect();
    let too_short = |row: &&CostRow| {
        row.cost.billing == Billing::CapacityBlock
            && row.cost.usd_per_hour.is_some()
            && row.cost.total.is_none()
    };
    let too_short = kept.iter().filter(too_short).count();
    let counts = [
        ("price-unknown", unknown),
        ("price-too-old", listing.too_old),
        ("gpu-count", listing.gpu_count),
        ("spot-not-worth-it", listing.spot_discount),
        ("block-too-short", too_short),
    ];
    lines.extend(counts.iter().filter(|(_, n)| *n > 0).map(|&(reason, n)| RejectedLine::counted(reason, n)));
    if kept.is_empty() && listing.not_allowed == 0 && lines.iter().all(|line| line.reason == "gpu-count") {
        // Nothing passed the filters at all: say which of them turned the offers away.
        let filter = Filter { billing: query.billing.clone(), ..query.filter.clone() };
        let misses = filter.misses(catalog).into_iter();
        lines.extend(misses.map(|(miss, count)| RejectedLine::counted(miss.name(), count)));
    }
    listing.rows = kept;
    lines
}

/// GPUs side by side unless something is asked for by name; every region of a machine asked for by name, or where
/// regions are asked for.
fn detail(filter: &Filter) -> Detail {
    let regions = filter.limits_places();
    if !filter.instances.is_empty() || regions {
        Detail::EveryRegion
    } else if filter.gpus.is_empty() && filter.providers.is_empty() {
        Detail::CheapestOfGpu
    } else {
        Detail::CheapestRegion
    }
}
