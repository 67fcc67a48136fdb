//! Who sells what is asked for: all contracts of one machine in one region, or of one GPU at its cheapest.

use super::{Commitment, Market};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::price::{Billing, Currency, Upfront};
use crate::catalog::provenance::SourceId;
use crate::catalog::region::RegionId;
use crate::catalog::select::Filter;
use crate::money::{Usd, UsdPerHour};
use crate::price::listing::{CostRow, Detail, Listing, Query, list};
use crate::price::part::Extras;
use std::collections::{BTreeMap, BTreeSet};

/// What one instance of the usage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A machine.
    Machine,
    /// A machine with one GPU.
    Gpu,
}

/// One contract of one machine in one region.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The machine.
    pub instance: InstanceId,
    /// Where.
    pub region: RegionId,
    /// The contract.
    pub billing: Billing,
    /// How much of a commitment is paid at its start.
    pub upfront: Option<Upfront>,
    /// Price of one unit; `None` is unknown.
    pub per_hour: Option<UsdPerHour>,
    /// The same in the currency of the source, where that is another one.
    pub listed: Option<(Currency, UsdPerHour)>,
    /// What one unit pays at the start of a term, where `upfront` is a part that the source tells.
    pub fee: Option<Usd>,
    /// Where the price comes from, with its date.
    pub source: SourceId,
    /// The price came from an overlay.
    pub overridden: bool,
    /// What the price is, where that needs saying.
    pub notes: Vec<String>,
}

/// Contracts that may be bought side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// By billing kind and upfront.
    pub offers: Vec<Offer>,
}

/// The market of a candidate and the offers behind its prices.
#[derive(Clone, Debug, PartialEq)]
pub struct Priced {
    /// The prices.
    pub market: Market,
    /// Place of the on-demand price among the offers.
    pub on_demand: usize,
    /// Place of the spot price.
    pub spot: Option<usize>,
    /// Places of the commitments, in their order.
    pub commitments: Vec<usize>,
}

/// All that qualifies.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// One for each region of the machine, or for each GPU.
    pub candidates: Vec<Candidate>,
    /// What one instance is.
    pub unit: Unit,
    /// Counts of what was left out.
    pub listing: Listing,
}

/// The offers under these contracts: by region where a machine is asked for by name, else by GPU, the cheapest of each.
/// Without a name or a number of GPUs one instance is a machine with exactly one GPU: an eighth of a larger machine is
/// nothing that anybody sells.
pub fn choose(catalog: &Catalog, mut filter: Filter, billing: Vec<Billing>) -> Choice {
    let by_machine = !filter.instances.is_empty();
    let counted = !filter.gpus.is_empty() && filter.gpus.iter().all(|spec| spec.per_node.is_some());
    let unit = if by_machine || counted { Unit::Machine } else { Unit::Gpu };
    if unit == Unit::Gpu {
        single_gpus(&mut filter);
    }
    let detail = if by_machine { Detail::EveryRegion } else { Detail::CheapestOfGpu };
    let query = Query {
        filter,
        billing,
        nodes: None,
        gpus: None,
        max_gpus: None,
        min_spot_discount: None,
        hours: 1.0,
        extras: Extras::default(),
        spot: None,
        detail,
    };
    let mut listing = list(catalog, &query);
    let mut groups: BTreeMap<(Option<RegionId>, GpuId), Vec<Offer>> = BTreeMap::new();
    for row in std::mem::take(&mut listing.rows) {
        let key = (by_machine.then_some(row.region), catalog.instance(row.instance).gpu);
        groups.entry(key).or_default().push(offer(row));
    }
    let candidate = |mut offers: Vec<Offer>| {
        offers.sort_by_key(|offer| (offer.billing, offer.upfront));
        Candidate { offers }
    };
    Choice { candidates: groups.into_values().map(candidate).collect(), unit, listing }
}

/// Takes every GPU that is asked for without a number in machines of one.
pub fn single_gpus(filter: &mut Filter) {
    for asked in &mut filter.gpus {
        asked.per_node.get_or_insert(1);
    }
}

fn offer(row: CostRow) -> Offer {
    let cost = row.cost;
    let about_the_price =
        |note: &String| ["the price is ", "the list price is "].iter().any(|start| note.starts_with(start));
    Offer {
        instance: row.instance,
        region: row.region,
        billing: cost.billing,
        upfront: cost.upfront,
        // A unit is a whole machine, of one GPU where GPUs are counted, or as many as are sold together.
        per_hour: cost.usd_per_hour,
        listed: cost.listed.as_ref().map(|it| (it.currency, it.per_hour)),
        // The query is about one unit for less than a term.
        fee: cost.upfront_paid.filter(|_| cost.upfront == Some(Upfront::Partial)),
        source: cost.source,
        overridden: cost.overridden,
        notes: cost.notes.into_iter().filter(about_the_price).collect(),
    }
}

impl Candidate {
    /// Its market; `None` without a price on demand, which burst needs.
    pub fn priced(&self) -> Option<Priced> {
        let place =
            |kind| self.offers.iter().position(|offer| offer.billing == kind && offer.per_hour.is_some());
        let on_demand = place(Billing::OnDemand)?;
        let spot = place(Billing::Spot);
        let rate = |at: usize| self.offers[at].per_hour;
        let mut commitments = Vec::new();
        let mut market =
            Market { on_demand: rate(on_demand)?, spot: spot.and_then(rate), commitments: Vec::new() };
        for (at, offer) in self.offers.iter().enumerate() {
            if let (Some(term_hours), Some(per_hour)) = (offer.billing.term_hours(), offer.per_hour) {
                commitments.push(at);
                let Offer { billing, upfront, fee, .. } = *offer;
                market.commitments.push(Commitment { billing, upfront, per_hour, term_hours, fee });
            }
        }
        Some(Priced { market, on_demand, spot, commitments })
    }

    /// Contracts of these kinds that its providers sell for some machine, and of which no price is known for this
    /// one: kind and upfront. `None` is any upfront.
    pub fn not_known(&self, catalog: &Catalog, kinds: &[Billing]) -> Vec<(Billing, Option<Upfront>)> {
        let provider = |id: InstanceId| catalog.instance(id).provider;
        let own: BTreeSet<ProviderId> = self.offers.iter().map(|offer| provider(offer.instance)).collect();
        let sold: BTreeSet<Billing> = catalog
            .prices
            .iter()
            .filter(|price| own.contains(&provider(price.instance)))
            .map(|price| price.billing)
            .collect();
        let priced = |kind: Billing| {
            self.offers.iter().filter(move |offer| offer.billing == kind && offer.per_hour.is_some())
        };
        // A price whose source does not tell the upfront may be any of them.
        let known = |kind: Billing, upfront: Upfront| {
            priced(kind).any(|offer| offer.upfront.is_none_or(|own| own == upfront))
        };
        let mut missing = Vec::new();
        for kind in kinds.iter().copied().filter(|kind| kind.is_committed() && sold.contains(kind)) {
            let variants: &[Upfront] = if has_upfront_variants(kind) { &Upfront::ALL } else { &[] };
            if priced(kind).next().is_none() {
                missing.push((kind, None));
            } else {
                let gaps = variants.iter().copied().filter(|&upfront| !known(kind, upfront));
                missing.extend(gaps.map(|upfront| (kind, Some(upfront))));
            }
        }
        missing
    }
}

/// Reserved instances and savings plans are sold with no, partial and all upfront.
fn has_upfront_variants(kind: Billing) -> bool {
    use Billing::{Reserved1y, Reserved3y, Savings1y, Savings3y};
    matches!(kind, Reserved1y | Reserved3y | Savings1y | Savings3y)
}
