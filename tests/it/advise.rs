//! The search against brute force, and what a search must never do, over the embedded catalog.

use gpuadvise::advise::limits::Limits;
use gpuadvise::advise::{Advice, Sort, advise};
use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::instance::InstanceId;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::catalog::price::{Billing, Currency};
use gpuadvise::estimate::training::TrainingModel;
use gpuadvise::estimate::{Machine, Verdict};
use gpuadvise::money::BilledHours;
use gpuadvise::price::bill::Due;
use gpuadvise::price::part::Extras;
use gpuadvise::workload::settings::WorkloadArgs;
use gpuadvise::workload::{Job, Workload, resolve};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).expect("the embedded catalog"));

fn workload(flags: &[(&str, &str)]) -> Workload {
    let args =
        <WorkloadArgs as gpuadvise::cli::request::Group>::from_pairs(flags.iter().copied()).expect("flags");
    resolve(&args, &CATALOG, &|_| Ok(None)).unwrap_or_else(|error| panic!("{flags:?}: {error}"))
}

fn limits(instances: &[&str]) -> Limits {
    let mut limits = Limits::default();
    limits.filter.instances =
        instances.iter().map(|name| CATALOG.resolve_instance(name).expect(name)).collect();
    limits
}

const SMALL: [&str; 6] = [
    "aws/p4d.24xlarge",
    "aws/p5.48xlarge",
    "aws/g5.12xlarge",
    "aws/g6.xlarge",
    "azure/Standard_NC24ads_A100_v4",
    "gcp/a2-highgpu-8g",
];

/// (verdict, total in cents, instance, nodes): every layout of every machine at every node count of the search.
fn brute_force(workload: &Workload, limits: &Limits) -> Vec<(Verdict, i64, InstanceId, u32)> {
    let Job::Training(job) = &workload.job else { panic!("training only") };
    let mut found = Vec::new();
    for &id in &limits.filter.instances {
        let instance = CATALOG.instance(id);
        let machine = Machine::of_instance(&CATALOG, instance, None).expect("a machine");
        let prices = CATALOG.prices_of(id).iter();
        let cheapest = prices
            .filter(|p| p.billing == Billing::OnDemand && p.currency == Currency::USD)
            .filter_map(|p| Some((p.per_hour?, p.region)))
            .min();
        let Some((rate, region)) = cheapest else { continue };
        let counted = CATALOG.charges(id, region).compute;
        let most = if machine.can_scale_out() { limits.max_gpus / machine.gpus_per_node } else { 1 };
        for nodes in
            (1..=most).filter(|n| n.is_power_of_two() || (n.is_multiple_of(3) && (n / 3).is_power_of_two()))
        {
            let model =
                TrainingModel::new(&CATALOG, &workload.model, job, &machine, machine.gpus_per_node * nodes)
                    .expect("a model");
            let mut best: Option<(Verdict, f64)> = None;
            let mut hours = 0.0;
            for layout in model.all_layouts(&workload.pins) {
                let verdict = Verdict::of(&model.memory(&layout), machine.usable_bytes);
                let key = (verdict, model.step_seconds(&layout));
                if verdict != Verdict::No && best.is_none_or(|b| key < b) {
                    best = Some(key);
                    hours = model.hours(&model.speed(&layout)).expected;
                }
            }
            if let Some((verdict, _)) = best {
                let billed = Extras::default().billed_hours(&Due::plain(hours), Billing::OnDemand, counted);
                let total = rate.times(nodes).cost(BilledHours::from_f64(billed).expect("hours"));
                found.push((verdict, (total.to_f64() * 100.0).round() as i64, id, nodes));
            }
        }
    }
    found.sort();
    found
}

fn rows(advice: &Advice) -> Vec<(Verdict, i64)> {
    advice
        .recommendations
        .iter()
        .map(|r| (r.verdict, (r.ranked_total.to_f64() * 100.0).round() as i64))
        .collect()
}

#[test]
fn the_pruned_search_finds_what_brute_force_finds() {
    for (params, deadline) in [("1e9", None), ("7B", None), ("13B", Some(500.0)), ("30B", None)] {
        let workload = workload(&[("params", params), ("task", "train")]);
        let mut limits = limits(&SMALL);
        limits.max_gpus = 48;
        limits.top = 7;
        limits.deadline_hours = deadline;
        let mut expected = brute_force(&workload, &limits);
        if deadline.is_some() {
            let everything =
                advise(&CATALOG, &workload, &Limits { deadline_hours: None, top: 10_000, ..limits.clone() });
            let in_time: Vec<(Verdict, i64)> = everything
                .recommendations
                .iter()
                .filter(|r| r.duration_hours.expected <= 500.0)
                .map(|r| (r.verdict, (r.ranked_total.to_f64() * 100.0).round() as i64))
                .collect();
            expected.retain(|row| in_time.contains(&(row.0, row.1)));
        }
        let expected: Vec<(Verdict, i64)> =
            expected.into_iter().map(|(v, cents, ..)| (v, cents)).take(limits.top).collect();
        assert_eq!(rows(&advise(&CATALOG, &workload, &limits)), expected, "{params}");
    }
}

#[test]
fn pins_that_no_layout_meets_are_not_a_miss_of_memory() {
    let workload = workload(&[("params", "1e9"), ("task", "train"), ("pp", "5")]);
    let advice = advise(&CATALOG, &workload, &limits(&["aws/p5.48xlarge"]));
    assert!(advice.recommendations.is_empty());
    let reasons: Vec<&str> = advice.rejected.iter().map(|rejection| rejection.reason).collect();
    assert_eq!(reasons, ["layout"]);
}

#[test]
fn the_longest_sequence_of_a_fit_does_not_depend_on_the_one_asked_for() {
    let at = CATALOG.gpus.iter().position(|gpu| gpu.name == "H100-SXM").expect("a GPU");
    let gpus = [gpuadvise::catalog::gpu::GpuId(u16::try_from(at).expect("an id"))];
    let longest = |seq_len: &str| {
        let workload = workload(&[("params", "1e9"), ("task", "train"), ("seq-len", seq_len)]);
        let judged = gpuadvise::advise::fit::fit(&CATALOG, &workload, &gpus, 8).remove(0).judged;
        judged.expect("a layout").max_seq_len.expect("a length")
    };
    assert_eq!(longest("512"), longest("8192"));
    assert!(longest("512") >= 8192);
}

#[test]
fn p089_the_first_rows_do_not_depend_on_how_many_are_asked_for() {
    let workload = workload(&[("params", "3B"), ("task", "train")]);
    for sort in [Sort::Cost, Sort::Time, Sort::Value] {
        let few = advise(&CATALOG, &workload, &Limits { sort, top: 3, ..limits(&SMALL) });
        let many = advise(&CATALOG, &workload, &Limits { sort, top: 60, ..limits(&SMALL) });
        assert_eq!(few.recommendations[..], many.recommendations[..3], "{sort:?}");
    }
}

#[test]
fn the_pareto_front_is_what_no_row_beats() {
    let workload = workload(&[("params", "3B"), ("task", "train")]);
    let all = advise(&CATALOG, &workload, &Limits { top: 1000, ..limits(&SMALL) });
    let front = advise(&CATALOG, &workload, &Limits { top: 1000, pareto: true, ..limits(&SMALL) });
    let key = |r: &gpuadvise::advise::Recommendation| (r.ranked_total, r.duration_hours.expected);
    let beaten = |row: &gpuadvise::advise::Recommendation| {
        all.recommendations.iter().any(|other| {
            let ((cost, time), (own_cost, own_time)) = (key(other), key(row));
            other.verdict <= row.verdict
                && cost <= own_cost
                && time <= own_time
                && (cost < own_cost || time < own_time)
        })
    };
    let expected: Vec<_> = all.recommendations.iter().filter(|row| !beaten(row)).cloned().collect();
    assert!(front.recommendations.len() > 2);
    assert_eq!(front.recommendations, expected);
}

#[test]
fn p053_of_machines_with_the_same_gpu_the_cheapest_comes_first() {
    let workload = workload(&[("params", "1e9"), ("task", "infer")]);
    let mut limits = Limits::default();
    limits.filter.gpus = vec![CATALOG.resolve_gpu_spec("T4:1").expect("T4")];
    limits.filter.min_vcpus = Some(8.0);
    let rows = advise(&CATALOG, &workload, &limits).recommendations;
    let least = CATALOG
        .instances
        .iter()
        .enumerate()
        .filter(|(_, i)| {
            CATALOG.gpu(i.gpu).name == "T4"
                && (i.gpus - 1.0).abs() < 1e-9
                && i.vcpus.is_some_and(|n| n >= 8.0)
        })
        .flat_map(|(at, _)| CATALOG.prices_of(InstanceId(at as u16)))
        .filter(|p| p.billing == Billing::OnDemand)
        .filter_map(|p| p.per_hour)
        .min();
    assert_eq!(rows[0].costs[0].usd_per_hour, least);
}

#[test]
fn p063_asking_for_spot_uses_only_spot_prices() {
    let workload = workload(&[("params", "1e9"), ("task", "infer")]);
    let advice =
        advise(&CATALOG, &workload, &Limits { billing: vec![Billing::Spot], top: 500, ..Limits::default() });
    assert!(!advice.recommendations.is_empty());
    for row in &advice.recommendations {
        assert_eq!(row.ranked_billing, Billing::Spot);
        let spot = row.costs.iter().find(|c| c.billing == Billing::Spot).expect("a spot row");
        assert_eq!(spot.total, Some(row.ranked_total));
    }
    let without = |id: InstanceId| !CATALOG.prices_of(id).iter().any(|p| p.billing == Billing::Spot);
    assert!(!advice.recommendations.iter().any(|row| without(row.instance)));
}

#[test]
fn p061_spot_that_is_not_cheaper_is_not_recommended() {
    let workload = workload(&[("params", "1e9"), ("task", "infer")]);
    let advice =
        advise(&CATALOG, &workload, &Limits { billing: vec![Billing::Spot], top: 1000, ..Limits::default() });
    for row in &advice.recommendations {
        let of = |billing| row.costs.iter().find(|c| c.billing == billing).and_then(|c| c.usd_per_hour);
        if let (Some(spot), Some(on_demand)) = (of(Billing::Spot), of(Billing::OnDemand)) {
            assert!(spot < on_demand, "{}", CATALOG.instance(row.instance).name);
        }
    }
}

#[test]
fn p064_with_a_region_every_price_is_of_that_region() {
    let workload = workload(&[("params", "1e9"), ("task", "infer")]);
    let mut limits = Limits { billing: Billing::ALL.to_vec(), top: 500, ..Limits::default() };
    limits.filter.regions = CATALOG.resolve_region("eu-west-1").expect("a region");
    let advice = advise(&CATALOG, &workload, &limits);
    assert!(!advice.recommendations.is_empty());
    for row in &advice.recommendations {
        assert_eq!(CATALOG.region(row.region).name, "eu-west-1");
        assert!(row.also_in.iter().all(|&region| CATALOG.region(region).name == "eu-west-1"));
        for cost in &row.costs {
            let same =
                |p: &&gpuadvise::catalog::price::Price| p.region == row.region && p.billing == cost.billing;
            let rates: Vec<_> =
                CATALOG.prices_of(row.instance).iter().filter(same).filter_map(|p| p.per_hour).collect();
            assert!(rates.iter().any(|rate| Some(rate.times(row.nodes)) == cost.usd_per_hour));
        }
    }
}

#[test]
fn p113_each_broken_constraint_is_named_with_its_nearest_miss() {
    let reasons =
        |advice: &Advice| -> Vec<&'static str> { advice.rejected.iter().map(|r| r.reason).collect() };
    let big = workload(&[("params", "1e12"), ("task", "train")]);
    let none = advise(&CATALOG, &big, &Limits { max_gpus: 8, ..limits(&SMALL) });
    assert_eq!(reasons(&none), ["memory"]);
    assert!(none.rejected[0].nearest.as_ref().is_some_and(|miss| miss.actual > miss.limit));
    let small = workload(&[("params", "1e9"), ("task", "train")]);
    for (limits, reason) in [
        (Limits { deadline_hours: Some(0.5), max_gpus: 8, ..limits(&SMALL) }, "deadline"),
        (Limits { budget: gpuadvise::money::Usd::from_f64(1.0), ..limits(&SMALL) }, "budget"),
        (Limits { max_hourly: gpuadvise::money::UsdPerHour::from_f64(0.1), ..limits(&SMALL) }, "max-hourly"),
    ] {
        let advice = advise(&CATALOG, &small, &limits);
        assert!(advice.recommendations.is_empty());
        assert!(reasons(&advice).contains(&reason), "{:?}", advice.rejected);
        let named = advice
            .rejected
            .iter()
            .find(|r| r.reason == reason)
            .and_then(|r| r.nearest.as_ref())
            .expect("a nearest miss");
        assert!(named.actual > named.limit);
    }
    let slow = workload(&[("model", "llama-3-70b"), ("task", "infer"), ("tpot", "1ms")]);
    let advice = advise(&CATALOG, &slow, &limits(&["aws/p5.48xlarge"]));
    assert_eq!(reasons(&advice), ["tpot"], "a latency is not a memory failure");
}

/// Totals are shown to the cent and ranked before they are rounded: small jobs do not tie on a cent.
#[test]
fn small_jobs_are_ranked_by_exact_cost() {
    let workload = workload(&[("model", "bert-base-uncased"), ("task", "finetune"), ("tokens", "100k")]);
    let rows = advise(&CATALOG, &workload, &Limits { top: 400, ..Limits::default() }).recommendations;
    let exact = |row: &gpuadvise::advise::Recommendation| {
        let rate = row.costs.iter().find(|c| c.billing == Billing::OnDemand).and_then(|c| c.usd_per_hour);
        let counted = CATALOG.charges(row.instance, row.region).compute;
        let due = Due::plain(row.duration_hours.expected);
        rate.expect("a rate").to_f64() * Extras::default().billed_hours(&due, Billing::OnDemand, counted)
    };
    let fits: Vec<f64> = rows.iter().filter(|r| r.verdict == Verdict::Fits).map(exact).collect();
    assert!(fits.len() > 50);
    assert!(fits.windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + 1e-9)));
}

#[test]
fn an_exact_number_of_gpus_is_never_a_share_of_one() {
    let workload = workload(&[("params", "1e9"), ("task", "infer")]);
    let advice = advise(&CATALOG, &workload, &Limits { gpus: Some(1), top: 500, ..Limits::default() });
    assert!(!advice.recommendations.is_empty());
    assert!(advice.recommendations.iter().all(|row| (row.total_gpus - 1.0).abs() < 1e-9));
}

/// A limit on money still finds the cheaper plan that is only tight, and a limit on nodes is taken as it is.
#[test]
fn a_tight_plan_on_fewer_nodes_is_not_lost() {
    let workload = workload(&[("model", "llama-3-8b"), ("task", "infer"), ("rps", "8")]);
    let all = advise(&CATALOG, &workload, &limits(&["aws/g6.xlarge"]));
    let fits = all.recommendations.iter().find(|r| r.verdict == Verdict::Fits).expect("a row that fits");
    if let Some(tight) = all.recommendations.iter().find(|r| r.verdict == Verdict::Tight) {
        assert!(tight.nodes < fits.nodes);
        let budget = Limits { budget: Some(tight.ranked_total), ..limits(&["aws/g6.xlarge"]) };
        assert_eq!(advise(&CATALOG, &workload, &budget).recommendations.len(), 1);
    }
    let bound = Limits { max_nodes: Some(fits.nodes), ..limits(&["aws/g6.xlarge"]) };
    assert_eq!(advise(&CATALOG, &workload, &bound).recommendations[0].nodes, fits.nodes);
}

/// Chips of a TPU are sold in slices: fewer than the smallest one are never offered.
#[test]
fn tpu_chips_come_in_slices() {
    let workload = workload(&[("params", "1e9"), ("task", "infer")]);
    let advice = advise(&CATALOG, &workload, &limits(&["gcp/tpu-v4"]));
    assert!(!advice.recommendations.is_empty());
    assert!(advice.recommendations.iter().all(|row| row.nodes >= 4), "{:?}", advice.recommendations[0].nodes);
}

#[test]
fn tight_rows_come_after_rows_that_fit() {
    let workload = workload(&[("model", "llama-3-8b"), ("task", "train")]);
    let advice = advise(&CATALOG, &workload, &Limits { top: 500, ..Limits::default() });
    let verdicts: Vec<Verdict> = advice.recommendations.iter().map(|r| r.verdict).collect();
    assert!(verdicts.is_sorted());
    assert!(!verdicts.contains(&Verdict::No));
}

#[test]
fn the_same_question_gives_the_same_answer() {
    let workload = workload(&[("params", "2.7B"), ("task", "train")]);
    assert_eq!(advise(&CATALOG, &workload, &limits(&SMALL)), advise(&CATALOG, &workload, &limits(&SMALL)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Twice the tokens never cost less, nor take less time, on the same machine.
    #[test]
    fn a_longer_job_never_costs_less(params in 1_u64..200, tokens in 1_u64..1000) {
        let params = (params * 100_000_000).to_string();
        let (short, long) = ((tokens * 1_000_000_000).to_string(), (tokens * 2_000_000_000).to_string());
        let ask = |tokens: &str| workload(&[("params", &params), ("task", "train"), ("tokens", tokens)]);
        let limits = Limits { top: 1000, max_gpus: 64, billing: vec![Billing::OnDemand, Billing::Spot], ..limits(&SMALL) };
        let (short, long) = (advise(&CATALOG, &ask(&short), &limits), advise(&CATALOG, &ask(&long), &limits));
        for row in &long.recommendations {
            let same = short.recommendations.iter().find(|r| r.instance == row.instance && r.nodes == row.nodes);
            if let Some(same) = same {
                prop_assert!(row.ranked_total >= same.ranked_total);
                prop_assert!(row.duration_hours.expected >= same.duration_hours.expected);
            }
        }
    }

    /// A tighter limit only takes rows away.
    #[test]
    fn a_deadline_only_takes_rows_away(params in 1_u64..100, hours in 1.0..2000.0_f64) {
        let workload = workload(&[("params", &(params * 100_000_000).to_string()), ("task", "train")]);
        let free = Limits { top: 1000, max_gpus: 64, ..limits(&SMALL) };
        let bound = Limits { deadline_hours: Some(hours), ..free.clone() };
        let (all, few) = (advise(&CATALOG, &workload, &free), advise(&CATALOG, &workload, &bound));
        let kept: Vec<_> = all.recommendations.into_iter().filter(|r| r.duration_hours.expected <= hours).collect();
        let mut few = few.recommendations;
        for run in few.iter_mut().flat_map(|row| &mut row.costs).filter_map(|cost| cost.spot.as_mut()) {
            // Only with a deadline is there a chance to meet it.
            prop_assert!(run.deadline_probability.take().is_some());
        }
        prop_assert_eq!(few, kept);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The search leaves out what cannot make the answer, whatever machines cost, in whatever steps time is billed and
    /// whatever is used besides: the first rows are those of a search that leaves out nothing.
    #[test]
    fn no_price_and_no_step_of_billing_misleads_the_search(
        cents in proptest::collection::vec(1_u32..9000, 40), seconds in 0_usize..4, least in 0_usize..3,
        tokens in 0_usize..4, top in 1_usize..6, sort in 0_usize..3, stored in 0_u32..3, startup in 0_u32..2,
    ) {
        let mut catalog = CATALOG.clone();
        for (at, price) in catalog.prices.iter_mut().enumerate() {
            let cents = cents[at % cents.len()];
            let rate = format!("{}.{:02}", cents / 100, cents % 100).parse().expect("a price");
            price.per_hour = price.per_hour.map(|_| rate);
        }
        for charge in &mut catalog.charges {
            charge.increment_s = [1, 60, 3600, 86_400][seconds];
            charge.minimum_s = [0, 3600, 200_000][least];
        }
        let tokens = ["1M", "300M", "5B", "20B"][tokens];
        let workload = workload(&[("params", "1e9"), ("task", "train"), ("tokens", tokens)]);
        let mut limits = limits(&SMALL);
        limits.max_gpus = 16;
        limits.sort = [Sort::Cost, Sort::Time, Sort::Value][sort];
        limits.billing = vec![Billing::OnDemand, Billing::Spot, Billing::CapacityBlock];
        limits.extras.storage_bytes = f64::from(stored) * 1e12;
        limits.extras.startup_hours = f64::from(startup) * 0.4;
        let of = |top: usize| -> Vec<(InstanceId, u32, String)> {
            let rows = advise(&catalog, &workload, &Limits { top, ..limits.clone() }).recommendations;
            rows.iter().map(|row| (row.instance, row.nodes, row.ranked_total.to_string())).collect()
        };
        let everything = of(10_000);
        prop_assert_eq!(of(top), &everything[..top.min(everything.len())]);
    }
}
