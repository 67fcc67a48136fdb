//! What published price lists are known to do, each once through the import; `formats` has those of one format.

use super::*;

const SKYPILOT: &str = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";

const PLAIN: &str = "provider,instance,region,billing,usd_per_hour\n";

fn sky(rows: &str) -> Import {
    let import = import("skypilot", "aws/vms.csv", format!("{SKYPILOT}{rows}").as_bytes()).unwrap();
    sound(&import);
    import
}

fn plain(rows: &str) -> Import {
    let import = import("plain", "x.csv", format!("{PLAIN}{rows}").as_bytes()).unwrap();
    sound(&import);
    import
}

/// Without spare capacity anywhere the spot price is that of on-demand, and stands; a type without an on-demand price has
/// its spot price all the same.
#[test]
fn spot_at_on_demand_everywhere_and_spot_alone() {
    let import = sky(
        "p5.48xlarge,H100,8,192,2048,,55.04,55.04,us-east-1,us-east-1a\np5.48xlarge,H100,8,192,2048,,55.04,55.04,us-east-1,us-east-1b\n\
         p5e.48xlarge,H200,8,192,2048,,,12.5,us-east-2,us-east-2a\np5e.48xlarge,H200,8,192,2048,,,42,us-east-2,us-east-2b\n",
    );
    let prices = prices(&import);
    assert_eq!(prices["aws/p5.48xlarge us-east-1 spot"], "55.04");
    assert_eq!(prices["aws/p5e.48xlarge us-east-2 spot"], "27.25 median-of-zones");
    assert!(!prices.contains_key("aws/p5e.48xlarge us-east-2 on-demand"));
}

/// P061: spot above on-demand is kept as it is said, and the checks of the catalog tell it.
#[test]
fn p061_spot_above_on_demand_is_told() {
    let import = plain("aws,p5.48xlarge,us-east-1,on-demand,50\naws,p5.48xlarge,us-east-1,spot,60\n");
    let files = [SourceFile { label: "x.toml".to_owned(), text: import.overlay.text(&[]) }];
    let (_, findings) = validate(&files, CATALOG.clone(), true);
    assert!(findings.iter().any(|it| it.code == "spot-not-below-on-demand"), "{findings:?}");
}

/// Versions of one schema differ in columns and their order.
#[test]
fn columns_come_in_any_order_and_unknown_ones_are_passed_over() {
    let old = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,SpotPrice,Price\n\
               p5.48xlarge,192.0,2048.0,H100,8.0,,us-east-1,20.5,55.04\n";
    let new = "AvailabilityZone,InstanceType,Arch,LocalDiskType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n\
               us-east-1a,p5.48xlarge,x86_64,ssd,H100,8.0,192.0,2048.0,,55.04,20.5,us-east-1\n";
    let of = |text: &str| prices(&import("skypilot", "aws/vms.csv", text.as_bytes()).unwrap());
    assert_eq!(of(new)["aws/p5.48xlarge us-east-1 on-demand"], "55.04");
    assert_eq!(of(new)["aws/p5.48xlarge us-east-1 spot"], "20.5");
    // Without a column of zones no row can be told to be of a local one: nothing is taken to be of the region by guess.
    assert_eq!(of(old), of(new));
}

/// P033, P070, P104: names that sound alike are told apart by what else is said of them, or not at all.
#[test]
fn p033_p070_names_that_sound_alike() {
    let machine = |name: &str, gpu: &str, mib: u64| {
        let info = format!("\"{{'Gpus': [{{'MemoryInfo': {{'SizeInMiB': {mib}}}}}]}}\"");
        format!("{name},{gpu},1,8,64,{info},3,,us-east-1,us-east-1a\n")
    };
    let rows = [
        machine("x1", "A100", 40 * 1024),
        machine("x2", "A100", 80 * 1024),
        machine("x3", "A100-80GB", 80 * 1024),
        machine("x4", "H100-NVL", 94 * 1024),
        machine("x5", "RTX 6000", 48 * 1024),
        machine("x6", "RTX-A6000", 48 * 1024),
    ];
    let import = sky(&rows.concat());
    let text = import.overlay.text(&[]);
    let gpu = |name: &str| {
        let after = text.split(&format!("name = \"{name}\"\ngpu = \"")).nth(1)?;
        after.split('"').next().map(str::to_owned)
    };
    assert!(gpu("x1").is_none_or(|gpu| gpu.contains("40GB")), "{text}");
    for name in ["x2", "x3"] {
        assert!(gpu(name).is_some_and(|gpu| gpu.contains("80GB")), "{name}: {text}");
    }
    assert_eq!(gpu("x4").as_deref(), Some("H100-NVL"));
    assert_eq!(gpu("x6").as_deref(), Some("RTX-A6000"), "{text}");
    assert_ne!(gpu("x5").as_deref(), Some("RTX-A6000"), "48 GiB are also those of another RTX 6000");
}

/// P072: an eighth of an L4 stays an eighth, with its memory.
#[test]
fn p072_shares_stay_shares() {
    let import = sky("g6f.9large,L4,0.125,2,8,,0.2,,us-east-1,us-east-1a\n");
    assert!(import.overlay.text(&[]).contains("name = \"g6f.9large\"\ngpu = \"L4\"\ngpus = 0.125\n"));
}

/// P090: whichever of its names a GPU has, its rows are the same.
#[test]
fn p090_aliases_are_one_gpu() {
    let of = |gpu: &str| {
        let import = sky(&format!("x1.large,{gpu},8,8,64,,30,,us-east-1,us-east-1a\n"));
        import.overlay.text(&[])
    };
    for alias in ["H100-SXM", "NVIDIA H100 80GB HBM3", "h100 sxm"] {
        assert_eq!(of(alias), of("H100-SXM"), "{alias}");
    }
}

/// Euros in a column of their own stay euros, and nothing is converted.
#[test]
fn euros_stay_euros() {
    let rows = "provider,instance,region,billing,per_hour,currency,gpu,gpus\nscaleway,H100-9-80G,fr-par-2,on-demand,2.73,EUR,H100-PCIe,1\n";
    let import = import("plain", "x.csv", rows.as_bytes()).unwrap();
    sound(&import);
    assert_eq!(prices(&import)["scaleway/H100-9-80G fr-par-2 on-demand"], "2.73 EUR");
}

/// Contracts that are no hour of a machine on demand keep their own kind, or are left out with their name.
#[test]
fn every_contract_keeps_its_kind() {
    let kinds = ["capacity-block", "savings-1y", "cud-3y", "subscription-1m"];
    let rows: Vec<String> =
        kinds.iter().map(|kind| format!("aws,p5.48xlarge,us-east-1,{kind},20\n")).collect();
    let import = plain(&(rows.concat() + "aws,p5.48xlarge,us-east-1,flex-start,20\n"));
    for kind in kinds {
        assert_eq!(prices(&import)[&format!("aws/p5.48xlarge us-east-1 {kind}")], "20");
    }
    assert_eq!(skipped(&import)["no-billing-kind"], 1);
}

/// `RunPod` repeats the community price as its spot price; a rate that is a part of another is no second quote.
#[test]
fn a_spot_price_that_repeats_on_demand_is_none() {
    let import = fixture("runpod", "runpod.json");
    assert!(prices(&import).keys().all(|name| !name.ends_with(" spot")), "{:?}", prices(&import));
    assert!(skipped(&import)["spot-equals-on-demand"] > 0);
}

/// Prices of before and after a cut in one list contradict each other, and neither is taken.
#[test]
fn prices_of_before_and_after_a_cut_are_not_mixed() {
    let import =
        plain("aws,p5.48xlarge,us-east-1,on-demand,98.32\naws,p5.48xlarge,us-east-1,on-demand,55.04\n");
    assert_eq!((prices(&import).len(), skipped(&import)["conflicting-prices"]), (0, 2));
}

/// P059: the same price said twice is one.
#[test]
fn p059_the_same_price_twice_is_one() {
    let import =
        plain("aws,p5.48xlarge,us-east-1,on-demand,55.04\naws,P5.48XLARGE,US-EAST-1,on-demand,55.040\n");
    assert_eq!((prices(&import).len(), import.used), (1, 2));
}

/// No amount is taken in silence beside another one, and no currency that nobody knows.
#[test]
fn a_row_with_two_amounts_says_one_price_or_none() {
    let of = |usd: &str, amount: &str, code: &str, rate: &str| {
        let head = "provider,instance,region,usd_per_hour,per_hour,currency,fx_rate\n";
        let row = format!("{head}aws,p5.48xlarge,us-east-1,{usd},{amount},{code},{rate}\n");
        let import = import("plain", "x.csv", row.as_bytes()).unwrap();
        sound(&import);
        let price = prices(&import).into_values().next();
        price.ok_or_else(|| skipped(&import).into_keys().next().unwrap())
    };
    assert_eq!(of("7", "50.5", "EUR", ""), Err("conflicting-prices"));
    assert_eq!(of("7", "", "EUR", ""), Err("conflicting-prices"));
    assert_eq!(of("40", "41", "USD", ""), Err("conflicting-prices"));
    assert_eq!(of("40", "40.0", "USD", ""), Ok("40".to_owned()));
    assert_eq!(of("50", "350", "CNY", "7"), Ok("350 CNY".to_owned()));
    assert_eq!(of("", "40", "usd", ""), Ok("40".to_owned()));
    assert_eq!(of("", "40", "XYZ", ""), Err("currency-not-known"));
}

#[test]
fn a_separator_that_is_no_comma_is_named() {
    for (separator, named) in [(";", "`;`"), ("\t", "tabs"), ("|", "`|`")] {
        let table =
            "provider,instance,region,usd_per_hour\naws,p5.48xlarge,us-east-1,40\n".replace(',', separator);
        let error = import("plain", "x.csv", table.as_bytes()).unwrap_err();
        assert!(error.contains(&format!("separated by {named}")), "{error}");
    }
}

/// A list has prices that have ended, and those that are announced.
#[test]
fn azure_prices_hold_between_their_days() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refresh/azure.json");
    let text = std::fs::read_to_string(path).unwrap();
    let own = "azure/Standard_NC24ads_A100_v4 eastus on-demand";
    let start = "\"effectiveStartDate\":\"2022-06-01T00:00:00Z\",\"meterName\":\"NC24ads A100 v4\",\"productName\":\"NCads A100 v4 Series Linux\"";
    assert!(text.contains(start));
    // The list is of 2026-11-25.
    for (days, holds) in [
        (r#""effectiveStartDate":"2026-11-25T00:00:00Z""#, true),
        (r#""effectiveStartDate":"2026-11-26T00:00:00Z""#, false),
        (r#""effectiveStartDate":"2022-06-01T00:00:00Z","effectiveEndDate":"2026-11-25T00:00:00Z""#, true),
        (r#""effectiveStartDate":"2022-06-01T00:00:00Z","effectiveEndDate":"2026-11-24T23:59:59Z""#, false),
    ] {
        let dated = start.replacen(r#""effectiveStartDate":"2022-06-01T00:00:00Z""#, days, 1);
        let import = import("azure", "azure.json", text.replacen(start, &dated, 1).as_bytes()).unwrap();
        sound(&import);
        assert_eq!(prices(&import).contains_key(own), holds, "{days}");
        assert_eq!(skipped(&import).contains_key("not-in-force"), !holds, "{days}");
    }
}

/// A way of paying that its figures contradict is no price.
#[test]
fn fees_that_contradict_the_way_of_paying_are_left_out() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refresh/aws-offer.json");
    let text = std::fs::read_to_string(path).unwrap();
    for (from, to) in [("\"6.6\"", "\"0\""), ("\"58692\"", "\"0\""), ("\"0.0000000000\"", "\"1.5\"")] {
        assert!(text.contains(from), "{from}");
        let odd = import("aws", "offer.json", text.replace(from, to).as_bytes()).unwrap();
        sound(&odd);
        assert_eq!(skipped(&odd)["price-not-usable"], 1, "{from}");
    }
}
