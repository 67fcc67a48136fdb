//! From constraint flags and a catalog to the filter and the limits of a search: names resolved, defaults applied.

use super::constraint::{ConstraintArgs, FilterArgs, SpotArgs};
use super::value::{BillingChoice, CheckpointInterval, Days, StackChoice, TierChoice};
use super::{nccl, quota};
use crate::advise::limits::{DEFAULT_MAX_GPUS, DEFAULT_TOP, Limits};
use crate::catalog::Catalog;
use crate::catalog::gpu::{GpuId, Stack};
use crate::catalog::instance::{InstanceId, ProviderId, Tier};
use crate::catalog::lookup::{GpuSelection, LookupError};
use crate::catalog::price::Billing;
use crate::catalog::region::{Region, RegionId};
use crate::catalog::select::{Filter, MaxAge};
use crate::diag::InputError;
use crate::price::spot::Checkpoints;
use crate::price::spot::outlook::SpotFlags;
use jiff::civil::Date;
use std::collections::BTreeSet;

/// The filter as asked; what is not asked filters nothing. For listings.
pub fn filter(args: &FilterArgs, catalog: &Catalog, today: Date) -> anyhow::Result<Filter> {
    let regions = each(args.region.as_ref(), |text| catalog.resolve_region(text))?;
    let gpus: Vec<GpuSelection> = each(args.gpu.as_ref(), |text| catalog.resolve_gpu_spec(text))?;
    let stacks = args.stack.iter().flatten().map(|choice| choice.stack());
    Ok(Filter {
        instances: each(args.instance.as_ref(), |text| catalog.resolve_instance(text))?,
        providers: each(args.provider.as_ref(), |text| catalog.resolve_provider(text))?,
        tiers: args.tier.iter().flatten().copied().map(TierChoice::tier).collect(),
        stacks: stacks.collect::<Option<Vec<Stack>>>().unwrap_or_default(),
        gpus,
        min_vcpus: args.min_vcpus.map(f64::from),
        min_ram_gib: args.min_ram.map(crate::units::Bytes::gib),
        no_fractional: args.no_fractional.unwrap_or(false),
        regions: regions.concat(),
        countries: countries(args, catalog)?,
        jurisdictions: jurisdictions("jurisdiction", args.jurisdiction.as_ref(), catalog)?,
        operator_countries: operator_countries(args, catalog)?,
        operator_under: operator_under(args, catalog)?,
        billing: BillingChoice::kinds(args.billing.as_deref().unwrap_or_default()),
        max_age: args.max_age.map(|Days(days)| MaxAge { days, today }),
    })
}

/// The machines that pass; with a limit on places or contracts, those that have a price that passes.
pub fn instances(filter: &Filter, catalog: &Catalog) -> Vec<InstanceId> {
    let priced = !filter.billing.is_empty() || filter.max_age.is_some();
    let sold = |&id: &InstanceId| {
        !priced || catalog.prices_of(id).iter().any(|price| filter.price_miss(catalog, price).is_none())
    };
    filter.instances(catalog).into_iter().filter(sold).collect()
}

/// The providers that rent out a machine that passes.
pub fn providers(filter: &Filter, catalog: &Catalog) -> BTreeSet<ProviderId> {
    instances(filter, catalog).into_iter().map(|id| catalog.instance(id).provider).collect()
}

/// The GPUs that pass; with a limit on anything but the GPU itself, those that a machine that passes holds.
pub fn gpus(filter: &Filter, catalog: &Catalog) -> Vec<GpuId> {
    let of_gpu = Filter { gpus: filter.gpus.clone(), stacks: filter.stacks.clone(), ..Filter::default() };
    let named = filter.gpus(catalog);
    if *filter == of_gpu {
        return named;
    }
    let held: BTreeSet<GpuId> =
        instances(filter, catalog).into_iter().map(|id| catalog.instance(id).gpu).collect();
    named.into_iter().filter(|gpu| held.contains(gpu)).collect()
}

/// The filter of a search: with the default stack and tiers, which give way to what is asked for by name.
pub fn search_filter(args: &FilterArgs, catalog: &Catalog, today: Date) -> anyhow::Result<Filter> {
    let mut filter = filter(args, catalog, today)?;
    if args.stack.is_none() {
        let named = filter.gpus.iter().filter(|selection| selection.memory.is_none());
        let named = named.flat_map(|selection| selection.gpus.iter().copied());
        let held = filter.instances.iter().map(|&id| catalog.instance(id).gpu);
        let stacks: BTreeSet<Stack> = named.chain(held).map(|id| catalog.gpu(id).stack).collect();
        filter.stacks = stacks.into_iter().chain(StackChoice::Cuda.stack()).collect();
    }
    default_tiers(&mut filter, args, catalog);
    Ok(filter)
}

/// The filter of `cost`: any stack, the default tiers.
pub fn cost_filter(args: &FilterArgs, catalog: &Catalog, today: Date) -> anyhow::Result<Filter> {
    let mut filter = filter(args, catalog, today)?;
    default_tiers(&mut filter, args, catalog);
    Ok(filter)
}

/// Hyperscalers and specialists, and the tiers of whoever is asked for by name.
fn default_tiers(filter: &mut Filter, args: &FilterArgs, catalog: &Catalog) {
    if args.tier.is_none() {
        let owners = filter.instances.iter().map(|&id| catalog.instance(id).provider);
        let named = filter.providers.iter().copied().chain(owners);
        let tiers: BTreeSet<Tier> = named.map(|id| catalog.provider(id).tier).collect();
        filter.tiers = tiers.into_iter().chain([Tier::Hyperscaler, Tier::Specialist]).collect();
    }
}

/// All limits of a search.
pub fn limits(args: &ConstraintArgs, catalog: &Catalog, today: Date) -> anyhow::Result<Limits> {
    let mut filter = search_filter(&args.filter, catalog, today)?;
    let asked = std::mem::take(&mut filter.billing);
    let limit = &args.limit;
    if let (Some(gpus), Some(most)) = (limit.gpus, limit.max_gpus)
        && gpus > most
    {
        let message = format!("`--gpus {gpus}` asks for more than `--max-gpus {most}` allows");
        return Err(InputError::new(message, "leave one of them out").into());
    }
    let named = nccl::Named {
        any: !filter.instances.is_empty() || !filter.gpus.is_empty(),
        machines: !filter.instances.is_empty(),
        assumed: limit.assume_network.is_some(),
    };
    Ok(Limits {
        filter,
        gpus: limit.gpus,
        max_gpus: limit.gpus.or(limit.max_gpus).unwrap_or(DEFAULT_MAX_GPUS),
        nodes: None,
        max_nodes: limit.max_nodes,
        max_hourly: limit.max_hourly.map(super::value::Amount::per_hour),
        budget: limit.budget.map(super::value::Amount::usd),
        deadline_hours: limit.deadline.map(|hours| hours.0),
        owed: false,
        billing: if asked.is_empty() { vec![Billing::OnDemand] } else { asked },
        min_spot_discount: limit.min_spot_discount.map(|percent| percent.0 / 100.0),
        assume_network_gbps: limit.assume_network.map(|gbps| gbps.0),
        measured: limit.nccl.as_deref().map(|file| nccl::measured(file, catalog, named)).transpose()?,
        quotas: limit
            .quota
            .as_deref()
            .map(|file| quota::read(file, catalog))
            .transpose()?
            .unwrap_or_default(),
        extras: args.bill.extras(),
        spot: spot(&args.spot),
        sort: limit.sort.unwrap_or_default(),
        top: limit.top.map_or(DEFAULT_TOP, |top| top as usize),
        pareto: limit.pareto.unwrap_or(false),
    })
}

/// What is said about interruptions.
pub fn spot(args: &SpotArgs) -> SpotFlags {
    SpotFlags {
        interruptions_per_node_hour: args.interruptions_per_hour.map(|rate| rate.0),
        checkpoints: match args.checkpoint_interval {
            None | Some(CheckpointInterval::Auto) => Checkpoints::Auto,
            Some(CheckpointInterval::None) => Checkpoints::Never,
            Some(CheckpointInterval::Every(hours)) => Checkpoints::Every(hours.0),
        },
        checkpoint_hours: args.checkpoint_time.map(|span| span.0.0),
        restart_hours: args.restart_time.map(|span| span.0.0),
        capacity_wait_hours: args.capacity_wait.map(|span| span.0.0),
        fallback_after: args.spot_fallback_after,
    }
}

/// Resolves each text of a list.
fn each<T>(
    list: Option<&Vec<String>>,
    resolve: impl Fn(&str) -> Result<T, LookupError>,
) -> Result<Vec<T>, LookupError> {
    list.into_iter().flatten().map(|text| resolve(text)).collect()
}

/// Country codes; one that no region has is more likely a slip than a wish.
fn countries(args: &FilterArgs, catalog: &Catalog) -> Result<Vec<String>, InputError> {
    let known = catalog.regions.iter().filter_map(|region| region.country.as_deref());
    known_ones("country", args.country.as_ref(), &known.collect())
}

fn jurisdictions(
    flag: &str,
    asked: Option<&Vec<String>>,
    catalog: &Catalog,
) -> Result<Vec<String>, InputError> {
    let known = catalog.regions.iter().flat_map(|region| region.jurisdictions.iter().map(String::as_str));
    known_ones(flag, asked, &known.collect())
}

/// Seats by country; one that no operator has is more likely a slip than a wish.
fn operator_countries(args: &FilterArgs, catalog: &Catalog) -> Result<Vec<String>, InputError> {
    let ids = (0..).zip(&catalog.regions).map(|(id, _)| RegionId(id));
    let known = ids.filter_map(|id| catalog.operator_country(id));
    known_ones("operator-country", args.operator_country.as_ref(), &known.collect())
}

/// The countries in which regions under one of the asked jurisdictions lie: what the tag says of a place holds for a
/// seat there too. A tag of single regions, such as `us-gov`, says nothing of a country and is refused.
fn operator_under(args: &FilterArgs, catalog: &Catalog) -> Result<Vec<String>, InputError> {
    let flag = "operator-jurisdiction";
    let mut countries = BTreeSet::new();
    for tag in jurisdictions(flag, args.operator_jurisdiction.as_ref(), catalog)? {
        let whole = countries_under(catalog, &tag);
        if whole.is_empty() {
            let message = format!("--{flag} `{tag}` is a tag of single regions, not of a country");
            return Err(InputError::new(
                message,
                "use `eu`, `eea`, `us`, `cn` or another tag of whole countries",
            ));
        }
        countries.extend(whole);
    }
    Ok(countries.into_iter().collect())
}

/// Countries all of whose tagged regions, but those of partitions of their own, have this tag.
fn countries_under(catalog: &Catalog, tag: &str) -> BTreeSet<String> {
    let tagged = |region: &&Region| !region.jurisdictions.is_empty();
    let has = |region: &Region| region.jurisdictions.iter().any(|own| own == tag);
    let (mut under, mut other) = (BTreeSet::new(), BTreeSet::new());
    for region in catalog.regions.iter().filter(tagged) {
        let Some(country) = &region.country else { continue };
        if has(region) {
            under.insert(country.clone());
        } else if !region.is_apart() {
            other.insert(country.clone());
        }
    }
    under.difference(&other).cloned().collect()
}

fn known_ones(
    what: &str,
    asked: Option<&Vec<String>>,
    known: &BTreeSet<&str>,
) -> Result<Vec<String>, InputError> {
    let check = |text: &String| {
        let found = known.iter().find(|name| name.eq_ignore_ascii_case(text.trim()));
        found.map(|name| (*name).to_owned()).ok_or_else(|| {
            let all = known.iter().copied().collect::<Vec<_>>().join(", ");
            let hint = format!("the regions of the catalog have: {all}");
            InputError::unknown(what, text, known.iter().copied(), hint)
        })
    };
    asked.into_iter().flatten().map(check).collect()
}

/// Refuses fewer machines than are sold together, where that is so of every machine that is asked for.
pub fn sold_together(catalog: &Catalog, filter: &Filter, nodes: Option<u32>) -> Result<(), InputError> {
    let Some(nodes) = nodes else { return Ok(()) };
    let machines = filter.instances(catalog).into_iter().map(|id| catalog.instance(id));
    let least = machines.min_by_key(|machine| machine.smallest_count);
    let Some(machine) = least.filter(|machine| machine.smallest_count > nodes) else { return Ok(()) };
    let provider = &catalog.provider(machine.provider).name;
    let fewest = machine.smallest_count;
    let message =
        format!("`--nodes {nodes}`: {provider}/{} is sold {fewest} together at least", machine.name);
    Err(InputError::new(message, format!("say `--nodes {fewest}` or more")))
}

#[cfg(test)]
mod tests;
