//! What the options of `tco` come to beside each other: from when on one is cheaper, cash by year, carbon.

use super::options::{Bill, busy_share};
use super::{BreakEven, CarbonLine, Found, OptionLine, THOUSAND, YearLine};
use crate::catalog::price::Billing;
use crate::money::Usd;
use crate::price::own::{Server, break_even};
use crate::report::date::Dated;
use crate::report::exchange::ListedAmounts;
use crate::report::number::Num;

/// Own against each contract by the hour, rent and own against the cheapest API, rent against serverless.
pub(super) fn break_evens(found: &Found, options: &[OptionLine]) -> Vec<BreakEven> {
    let mut lines = Vec::new();
    let of = |option: &'static str| options.iter().filter(move |line| line.option == option);
    for owned in of("own") {
        for rented in of("rent") {
            // At the hours that are paid now; on demand grows with use, a commitment does not.
            let hourly = rented.billing == Some(Billing::OnDemand.name());
            if hourly {
                let all = rented.per_year.and_then(|usd| usd.scaled(1.0 / found.utilisation));
                let share = owned.per_year.zip(all).and_then(|(own, rent)| break_even(own, rent));
                lines.push(BreakEven::at(owned, rented, share, None, owned.at_least));
            }
        }
    }
    let on_demand = of("rent").find(|line| line.billing == Some(Billing::OnDemand.name()));
    for option in of("own").chain(on_demand) {
        for other in of("serverless") {
            let all = other.per_year.and_then(|usd| usd.scaled(1.0 / busy_share(found)));
            let share = option.per_year.zip(all).and_then(|(one, all)| break_even(one, all));
            lines.push(BreakEven::at(option, other, share, None, option.at_least));
        }
        let (Some(api), Some(tokens), Some(load)) = (of("api").next(), found.tokens, found.machine.load)
        else {
            continue;
        };
        let times = option.per_year.zip(api.per_year).and_then(|(one, api)| break_even(one, api));
        let busy = load.capacity_requests_per_s.map(|capacity| load.requests_per_s / capacity);
        let share = times.zip(busy).map(|(times, busy)| times * busy);
        let count = times.map(|times| times * (tokens.input + tokens.output));
        lines.push(BreakEven::at(option, api, share, count, option.at_least));
    }
    lines
}

impl BreakEven {
    fn at(
        option: &OptionLine,
        against: &OptionLine,
        share: Option<f64>,
        tokens: Option<f64>,
        at_least: bool,
    ) -> Self {
        let never = share.is_some_and(|share| share > 1.0);
        Self {
            option: option.name(),
            against: against.name(),
            utilisation_pct: share.filter(|_| !never).map(|share| Num::percent(share * 100.0)),
            tokens_per_month: tokens.filter(|_| !never).map(|count| Num::rounded(count, 0)),
            verdict: match share {
                None => "unknown",
                Some(_) if never => "never",
                Some(_) => "from",
            },
            at_least,
        }
    }
}

/// Cash of owning, of renting on demand, of the cheapest commitment and of the cheapest API.
pub(super) fn cash(options: &[OptionLine]) -> Vec<YearLine> {
    let mut lines = Vec::new();
    let mut add = |name: String, bill: &Bill| {
        let mut sum = Some(Usd::ZERO);
        for (at, &usd) in bill.paid.iter().enumerate() {
            let last = at + 1 == bill.paid.len();
            sum = sum.zip(usd).map(|(sum, usd)| sum + usd).or(bill.total.filter(|_| last));
            lines.push(YearLine {
                year: at as u32 + 1,
                option: name.clone(),
                usd: usd.map(Num::usd),
                cumulative_usd: sum.map(Num::usd),
            });
        }
    };
    let on_demand = |line: &&OptionLine| line.billing == Some(Billing::OnDemand.name());
    let kinds: Vec<&str> =
        Billing::ALL.into_iter().filter(|kind| kind.is_committed()).map(Billing::name).collect();
    let committed = |line: &&OptionLine| line.billing.is_some_and(|billing| kinds.contains(&billing));
    let first = |wanted: &dyn Fn(&&OptionLine) -> bool| options.iter().find(|line| wanted(line));
    let lines_of = [
        first(&on_demand),
        first(&committed),
        first(&|line| line.option == "api"),
        first(&|line| line.option == "own"),
    ];
    for line in lines_of.into_iter().flatten().filter(|line| line.per_year.is_some()) {
        add(line.name(), &line.bill);
    }
    lines
}

/// What the printed sums of years are made of.
pub(super) fn sums(options: &[OptionLine], amounts: &mut ListedAmounts) {
    for line in options {
        for years in 1..=line.bill.paid.len() {
            let paid = line.bill.paid[..years].iter().copied();
            amounts.sum(paid.clone().sum(), paid.flatten());
        }
        let told = figures(&line.bill);
        let sold = line.listed.as_ref().map(|(currency, bill)| (*currency, figures(bill)));
        for (at, usd) in told.into_iter().enumerate() {
            let Some(usd) = usd else { continue };
            let listed = sold.as_ref().and_then(|(currency, all)| Some((*currency, all[at]?)));
            amounts.add_total(usd, listed);
        }
    }
}

/// Every printed amount of a bill: all years, an average one, terms, their start, each year and up to its end.
fn figures(bill: &Bill) -> Vec<Option<Usd>> {
    let all = [bill.total, bill.per_year(), bill.owed, bill.upfront];
    let up_to = |years: usize| bill.paid[..years].iter().copied().sum();
    all.into_iter().chain(bill.paid.iter().copied()).chain((1..=bill.paid.len()).map(up_to)).collect()
}

/// Carbon of the electricity: rented machines where each contract has them, with the provider's own PUE; one's own on the
/// grid that was said. What no source tells stays `null`.
pub(super) fn carbon(found: &Found) -> Vec<CarbonLine> {
    let catalog = found.catalog;
    let mut lines: Vec<CarbonLine> = Vec::new();
    for row in found.rent.iter().filter(|row| row.cost.total.is_some()) {
        let region = catalog.region(row.region);
        let provider = &catalog.provider(region.provider).name;
        if lines.iter().any(|line| {
            line.provider.as_ref() == Some(provider) && line.region.as_ref() == Some(&region.name)
        }) {
            continue;
        }
        let pue =
            catalog.constant("pue", None, None, Some(provider), 1).filter(|known| known.class.is_some());
        let grid = catalog.carbon_of(row.region);
        let mut line =
            CarbonLine::new(found, "rent", pue.map(|pue| pue.value), grid.map(|grid| grid.g_per_kwh));
        line.provider = Some(provider.clone());
        line.region = Some(region.name.clone());
        if let Some(grid) = grid {
            let source = catalog.source(grid.source);
            line.carbon_free_pct = grid.free_share.map(|share| Num::percent(share * 100.0));
            line.as_of = Some(Dated(source.as_of));
            line.source = Some(source.text.clone());
        }
        lines.push(line);
    }
    let mut own = CarbonLine::new(found, "own", Some(found.server.pue), found.grid_g_per_kwh);
    own.source = found.grid_g_per_kwh.map(|_| "given".to_owned());
    lines.push(own);
    lines
}

impl CarbonLine {
    fn new(found: &Found, option: &'static str, pue: Option<f64>, grams: Option<f64>) -> Self {
        // Rented machines draw power for others when they are given back; one's own stand there all the time.
        let share = if option == "own" { 1.0 } else { found.utilisation };
        let kwh = pue.and_then(|pue| {
            let server = Server { pue, ..found.server.clone() };
            Some(server.mwh_per_year(found.machine.nodes)? * THOUSAND * share)
        });
        Self {
            option,
            provider: None,
            region: None,
            kwh_per_year: kwh.map(|kwh| Num::rounded(kwh, 0)),
            pue: pue.map(Num::exact),
            method: "location-based",
            g_co2e_per_kwh: grams.map(Num::exact),
            kg_co2e_per_year: kwh.zip(grams).map(|(kwh, grams)| Num::rounded(kwh * grams / THOUSAND, 0)),
            carbon_free_pct: None,
            as_of: None,
            source: None,
        }
    }
}
