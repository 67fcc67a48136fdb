//! Real shapes and what is odd about them.

use super::*;

#[test]
fn skypilot_aws_has_a_row_for_each_zone() {
    let import = fixture("skypilot", "skypilot/aws/vms.csv");
    let prices = prices(&import);
    // The median of the zones below on-demand: the third stands at it.
    assert_eq!(prices["aws/p5.48xlarge us-east-1 spot"], "19.0668 median-of-zones");
    assert_eq!(prices["aws/p5.48xlarge us-east-1 on-demand"], "55.04");
    // P056: a blank price is unknown and no row; its spot price stands for itself.
    assert!(!prices.contains_key("aws/p5.4xlarge us-east-1 on-demand"));
    assert_eq!(prices["aws/p5.4xlarge us-east-1 spot"], "2.1");
    let skipped = skipped(&import);
    assert_eq!((skipped["local-zone"], skipped["no-price"], skipped["no-gpu"]), (1, 1, 2));
    // P054: 0, and NaN, are no prices.
    assert_eq!(skipped["price-not-usable"], 2);
    assert!(example(&import, Reason::PriceNotUsable).starts_with("skypilot/aws/vms.csv:14: p3.2xlarge"));
}

/// P085, P071: the total of all GPUs is count times one GPU, whichever of the two a source prints. P144: an unlisted GPU is
/// told, never free.
#[test]
fn what_contradicts_the_gpu_is_left_out() {
    let import = fixture("skypilot", "skypilot/aws/vms.csv");
    let skipped = skipped(&import);
    assert_eq!(skipped["gpu-memory-differs"], 1, "eight L4 with 1,430 GiB each");
    assert_eq!(skipped["gpu-not-known"], 1);
    assert!(example(&import, Reason::GpuNotKnown).contains("RTX9999"));
    // Four A100 in a machine of eight, and two on-demand prices of one region (P059).
    assert_eq!(skipped["gpu-count-differs"], 1);
    assert_eq!(skipped["conflicting-prices"], 2);
    assert!(example(&import, Reason::ConflictingPrices).contains("21.957642 and 22.5"));
    // 45,776 MiB each, 183,105 in all: one of the forms is the GPU's.
    assert!(import.overlay.text(&[]).contains("name = \"g6e.99xlarge\"\ngpu = \"L40S\"\ngpus = 4\n"));
}

/// P052: a price of the accelerator alone never stands for a machine.
#[test]
fn skypilot_google_adds_host_and_accelerator_of_a_zone() {
    let import = fixture("skypilot", "skypilot/gcp/vms.csv");
    let prices = prices(&import);
    assert_eq!(prices["gcp/a2-highgpu-1g us-central1 on-demand"], "3.673385");
    assert_eq!(prices["gcp/n1-standard-8+t4x1 us-central1 on-demand"], "0.729998");
    // H100 and H100-MEGA are one GPU of the catalog in two machines.
    assert_eq!(prices["gcp/a3-highgpu-8g us-central1 on-demand"], "88");
    assert_eq!(prices["gcp/a3-megagpu-8g us-central1 spot"], "36");
    // P065, P066: slices are sold whole, v5p-8 is four chips; a zone without a price is not the cheapest.
    assert_eq!(prices["gcp/tpu-v5p us-east5 on-demand"], "4.2");
    assert_eq!(prices["gcp/tpu-v2 us-central1 on-demand"], "1.125");
    assert_eq!(prices["gcp/tpu-v2-pod us-central1 on-demand"], "1.5");
    assert_eq!(prices["gcp/tpu-v6e us-east5 on-demand"], "2.7");
    assert!(!prices.contains_key("gcp/tpu-v6e us-east5 spot"));
    let skipped = skipped(&import);
    assert_eq!((skipped["no-gpu"], skipped["parts-missing"], skipped["price-not-usable"]), (2, 2, 1));
}

#[test]
fn skypilot_of_other_clouds_has_their_ways() {
    // One price for all regions of a provider that has one.
    let lambda = fixture("skypilot", "skypilot/lambda/vms.csv");
    assert_eq!(prices(&lambda)["lambda/gpu_8x_v100 global on-demand"], "6.32");
    // GiB where MiB is written; a spot price that repeats on-demand is none.
    let runpod = fixture("skypilot", "skypilot/runpod/vms.csv");
    assert_eq!(
        prices(&runpod).into_iter().collect::<Vec<_>>(),
        [("runpod/H100 global on-demand".to_owned(), "2.89".to_owned())]
    );
    assert_eq!(skipped(&runpod)["spot-equals-on-demand"], 2);
    // P076: shares of a GPU stay shares.
    let azure = fixture("skypilot", "skypilot/azure/vms.csv");
    assert_eq!(prices(&azure)["azure/Standard_NV6ads_A10_v5 eastus on-demand"], "0.454");
    let vast = fixture("skypilot", "skypilot/vast/vms.csv");
    assert_eq!(prices(&vast)["vast/1x-RTX-4090 global on-demand"], "0.4 median-of-offers");
}

#[test]
fn gpuhunt_has_zones_for_google_and_new_machines() {
    let google = fixture("gpuhunt", "gcp.csv");
    let found = prices(&google);
    assert_eq!(found["gcp/a2-highgpu-1g us-central1 on-demand"], "3.673385");
    assert_eq!(found["gcp/a2-highgpu-1g us-central1 spot"], "1.2");
    assert_eq!(found["gcp/n1-standard-8+t4x1 us-central1 on-demand"], "0.729998");
    assert_eq!(found["gcp/tpu-v5e us-west4 on-demand"], "1.2");
    let verda = fixture("gpuhunt", "verda.csv");
    assert_eq!(prices(&verda)["verda/8H100.80S.176V ICE-01 on-demand"], "18.1");
    assert_eq!(verda.regions, [NewRegion { provider: "verda".to_owned(), name: "ICE-01".to_owned() }]);
    assert_eq!(verda.overlay.instances(), 1);
    let nobody =
        import("gpuhunt", "prices.csv", b"instance_name,location,price,spot\na,b,1,False\n").unwrap_err();
    assert!(nobody.contains("whose prices") && nobody.contains("--provider"), "{nobody}");
}

/// P083: what is paid at the start stays apart from what is paid for each hour; the catalog spreads it over the term.
#[test]
fn the_price_list_of_aws_has_on_demand_and_reserved() {
    let import = fixture("aws", "aws-offer.json");
    let prices = prices(&import);
    assert_eq!(prices["aws/p4d.24xlarge us-east-1 on-demand"], "21.957642");
    assert_eq!(prices["aws/p4d.24xlarge us-east-1 reserved-1y none"], "13.91");
    assert_eq!(prices["aws/p4d.24xlarge us-east-1 reserved-1y partial"], "58692 + 6.6");
    assert_eq!(prices["aws/p4d.24xlarge us-east-1 reserved-3y all"], "262800");
    let skipped = skipped(&import);
    for reason in
        ["local-zone", "no-billing-kind", "other-product", "other-software", "other-tenancy", "no-gpu"]
    {
        assert_eq!(skipped[reason], 1, "{reason}");
    }
    assert_eq!(skipped["machine-not-known"], 1, "the list does not say which GPU p9 has");
    // The day of publication, not that of the flag.
    assert_eq!(import.overlay.sources()[0].1, "2026-11-20");
}

#[test]
fn reserved_above_on_demand_is_a_slip() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refresh/aws-offer.json");
    let text = std::fs::read_to_string(path).unwrap();
    let above = import("aws", "offer.json", text.replace("\"13.91\"", "\"23.91\"").as_bytes()).unwrap();
    assert_eq!(skipped(&above)["commitment-not-below-on-demand"], 1);
    sound(&above);
    let index = import("aws", "index.json", br#"{"formatVersion":"v1.0","offers":{}}"#).unwrap_err();
    assert!(index.contains("no products"), "{index}");
    let turned =
        import("aws", "x.json", br#"{"terms":{"OnDemand":{"S":{"S.T":{}}}},"products":{}}"#).unwrap_err();
    assert!(turned.contains("terms come before products"), "{turned}");
}

/// P080: a spot figure says what it is.
#[test]
fn of_a_spot_history_the_newest_price_of_a_zone_holds() {
    let import = fixture("aws-spot", "aws-spot.json");
    assert_eq!(prices(&import)["aws/p5.48xlarge us-east-1 spot"], "20 median-of-zones");
    let skipped = skipped(&import);
    assert_eq!((skipped["older-quote"], skipped["other-software"], skipped["local-zone"]), (1, 1, 1));
    // Made of quotes of two days it is as old as the older one.
    assert_eq!(import.overlay.sources()[0].1, "2026-11-19");
}

/// P166: no price is made of a saving.
#[test]
fn the_advisor_has_no_prices() {
    let import = fixture("aws-spot-advisor", "aws-spot-advisor.json");
    assert_eq!((import.used, skipped(&import)["not-a-price"]), (0, 2));
}

/// P098: regions are found whatever their case.
#[test]
fn azure_pages_have_four_contracts() {
    let import = fixture("azure", "azure.json");
    let prices = prices(&import);
    let own = |kind: &str| prices[&format!("azure/Standard_NC24ads_A100_v4 eastus {kind}")].clone();
    assert_eq!((own("on-demand"), own("spot")), ("3.673".to_owned(), "0.66".to_owned()));
    assert_eq!((own("savings-1y"), own("savings-3y")), ("3.048".to_owned(), "2.277".to_owned()));
    assert_eq!(own("reserved-1y"), "2.4", "the price of a reservation is for its term");
    assert_eq!(prices["azure/Standard_ND96isr_H100_v5 westus3 on-demand"], "98.32");
    let skipped = skipped(&import);
    assert_eq!(
        (skipped["secondary-meter"], skipped["other-software"], skipped["no-billing-kind"]),
        (1, 1, 2)
    );
    for display in ["West US 3", "westus3", "WESTUS3"] {
        let row = format!("provider,instance,region,usd_per_hour\naz,standard_nd96isr_h100_v5,{display},9\n");
        let one = super::import("plain", "x.csv", row.as_bytes()).unwrap();
        assert!(
            super::prices(&one).contains_key("azure/Standard_ND96isr_H100_v5 westus3 on-demand"),
            "{display}"
        );
    }
}

/// P142: the parts of a machine add up to its price.
#[test]
fn google_machines_are_the_sum_of_their_skus() {
    let import = fixture("gcp", "gcp-skus.json");
    let prices = prices(&import);
    assert_eq!(prices["gcp/a2-highgpu-1g us-central1 on-demand"], "3.673385");
    assert_eq!(prices["gcp/a2-highgpu-8g us-central1 on-demand"], "29.38708");
    // us-east1 lacks memory, spot lacks cores: nothing is priced there.
    assert_eq!(prices.len(), 5);
    assert_eq!(skipped(&import)["parts-missing"], 10);
    assert_eq!(import.overlay.sources()[0].1, "2026-11-22");
}

/// P100, P103: GPUs by what drivers and clouds call them.
#[test]
fn apis_of_the_gpu_clouds_are_read() {
    let lambda = fixture("lambda", "lambda.json");
    assert_eq!(prices(&lambda)["lambda/gpu_8x_h100_sxm5 global on-demand"], "31.92");
    assert!(lambda.overlay.text(&[]).contains("gpu = \"A100-80GB-SXM\"\ngpus = 4"));
    let runpod = fixture("runpod", "runpod.json");
    assert_eq!(prices(&runpod)["runpod/H100 global on-demand"], "2.99");
    assert_eq!(prices(&runpod)["runpod-community/H100 global on-demand"], "2.69");
    assert!(
        !prices(&runpod).contains_key("runpod-community/MI300X global on-demand"),
        "a placeholder of 0.5"
    );
    let oci = fixture("oci", "oci.json");
    assert_eq!(prices(&oci)["oci/BM.GPU.B200.8 global on-demand"], "112");
    assert_eq!(prices(&oci)["oci/VM.GPU.A10.2 global on-demand"], "4");
    assert_eq!(oci.overlay.sources()[0].1, "2026-11-16");
    let nebius = fixture("nebius", "nebius.json");
    assert_eq!(prices(&nebius)["nebius/gpu-h100-sxm_8gpu-128vcpu-1600gb eu-north1 spot"], "17.2");
}

/// P123: a bid is not a price.
#[test]
fn a_marketplace_is_the_median_of_its_offers() {
    let vast = fixture("vast", "vast.json");
    assert_eq!(prices(&vast)["vast/1x-RTX-4090 global on-demand"], "0.4 median-of-offers");
    assert_eq!(prices(&vast)["vast/8x-A100-80GB global on-demand"], "7.2");
    assert_eq!((skipped(&vast)["not-a-price"], skipped(&vast)["not-offered-there"]), (1, 1));
}

#[test]
fn a_table_of_ones_own_has_days_currencies_and_terms() {
    let table = "Provider,Instance,Region,Billing,Upfront,Per-Hour,Currency,As Of\n\
                 aws,p5.48xlarge,us-east-1,on-demand,,40.5,USD,2026-10-01\n\
                 aws,p5.48xlarge,us-east-1,reserved-3y,all,20.5,USD,\n\
                 aws,p5.48xlarge,us-east-1,spot,none,20.5,USD,\n\
                 azure,Standard_ND96isr_H100_v5,chinanorth3,on-demand,,600.25,CNY,2026-10-02\n\
                 aws,p4d.24xlarge,us-east-1,on-demand,,20,dollars,\n\
                 aws,p4d.24xlarge,us-east-1,on-demand,,20,USD,2026-12-24\n\
                 nobody,p4d.24xlarge,us-east-1,on-demand,,20,USD,\n";
    let import = import("plain", "own.csv", table.as_bytes()).unwrap();
    sound(&import);
    let prices = prices(&import);
    assert_eq!(prices["aws/p5.48xlarge us-east-1 on-demand"], "40.5");
    assert_eq!(prices["aws/p5.48xlarge us-east-1 reserved-3y all"], "20.5");
    assert_eq!(prices["azure/Standard_ND96isr_H100_v5 chinanorth3 on-demand"], "600.25 CNY");
    let days: Vec<String> = import.overlay.sources().into_iter().map(|(_, day)| day).collect();
    assert_eq!(days, ["2026-10-01", "2026-10-02", "2026-11-25"]);
    let skipped = skipped(&import);
    for reason in ["no-billing-kind", "currency-not-known", "date-not-usable", "provider-not-known"] {
        assert_eq!(skipped[reason], 1, "{reason}");
    }
}

#[test]
fn without_a_day_nothing_is_imported() {
    let row = b"provider,instance,region,usd_per_hour\naws,p5.48xlarge,us-east-1,40\n";
    let undated = import_of("plain", &File { as_of: None, ..file("x.csv") }, row).unwrap_err();
    assert!(undated.contains("--as-of"), "{undated}");
}

#[test]
fn several_files_and_their_order_make_one_overlay() {
    let rows = |rows: &str| format!("provider,instance,region,usd_per_hour\n{rows}");
    let (a, b) = (rows("aws,p5.48xlarge,us-east-1,40\n"), rows("aws,p4d.24xlarge,us-east-1,20\n"));
    let text = |files: [&str; 2]| {
        let mut ledger = Ledger::new(&CATALOG, day("2026-11-30")).unwrap();
        for text in files {
            read(format("plain").unwrap(), &file("x.csv"), &mut text.as_bytes(), &mut ledger).unwrap();
        }
        ledger.finish().overlay.text(&[])
    };
    assert!(text([&a, &b]).find("p4d") < text([&a, &b]).find("p5.48"));
    let lines = |text: String| text.lines().filter(|it| it.contains("instance")).count();
    assert_eq!((lines(text([&a, &b])), lines(text([&b, &a]))), (2, 2));
}

/// Every row has its own date: an old quote is no price of today, and no median mixes years.
#[test]
fn spot_quotes_of_other_years_keep_their_date() {
    let quote = |zone: &str, machine: &str, price: &str, day: &str| {
        format!(
            r#"{{"AvailabilityZone":"{zone}","InstanceType":"{machine}","ProductDescription":"Linux/UNIX","SpotPrice":"{price}","Timestamp":"{day}T10:00:00+00:00"}}"#
        )
    };
    let quotes = [
        quote("us-east-1a", "p5.48xlarge", "19", "2026-11-20"),
        quote("us-east-1b", "p5.48xlarge", "5", "2021-03-01"),
        quote("us-west-2a", "p4d.24xlarge", "7", "2021-03-02"),
    ];
    let text = format!(r#"{{"SpotPriceHistory":[{}]}}"#, quotes.join(","));
    let import = super::import("aws-spot", "x.json", text.as_bytes()).unwrap();
    sound(&import);
    assert_eq!(prices(&import)["aws/p5.48xlarge us-east-1 spot"], "19");
    assert_eq!(skipped(&import)["older-quote"], 1);
    let mut days: Vec<String> = import.overlay.sources().iter().map(|source| source.1.clone()).collect();
    days.sort_unstable();
    assert_eq!(days, ["2021-03-02", "2026-11-20"]);
}

/// GPUs of other contracts are no price on demand, contradicting rates are none, and pages come in any order.
#[test]
fn google_skus_of_other_contracts_and_in_any_order() {
    let sku = |description: &str, usage: &str, nanos: u32| {
        format!(
            r#"{{"description":"{description}","category":{{"usageType":"{usage}"}},"serviceRegions":["us-central1"],"pricingInfo":[{{"effectiveTime":"2026-11-22T00:00:00Z","pricingExpression":{{"usageUnit":"h","tieredRates":[{{"unitPrice":{{"currencyCode":"USD","units":"0","nanos":{nanos}}}}}]}}}}]}}"#
        )
    };
    let core = sku("A2 Instance Core running in Americas", "OnDemand", 31_611_000);
    let ram = sku("A2 Instance Ram running in Americas", "OnDemand", 4_237_000);
    let gpu = sku("Nvidia Tesla A100 GPU running in Americas", "OnDemand", 933_908_000);
    let dws = sku(
        "Nvidia Tesla A100 GPU attached to DWS Defined Duration VMs running in Americas",
        "OnDemand",
        500_000_000,
    );
    let other = sku("Nvidia Tesla A100 GPU running in Iowa", "OnDemand", 700_000_000);
    let read = |skus: &[&String]| {
        let list: Vec<&str> = skus.iter().map(|sku| sku.as_str()).collect();
        let text = format!(r#"{{"skus":[{}]}}"#, list.join(","));
        let import = super::import("gcp", "x.json", text.as_bytes()).unwrap();
        let counts: Vec<(Reason, u64)> = import.skipped.iter().map(|it| (it.reason, it.count)).collect();
        (import.overlay.text(&[]), counts)
    };
    let plain = read(&[&core, &ram, &gpu]);
    assert!(plain.0.contains("a2-highgpu-1g"), "{}", plain.0);
    for skus in [[&dws, &core, &ram, &gpu], [&core, &ram, &gpu, &dws], [&core, &gpu, &dws, &ram]] {
        let own = read(&skus);
        assert_eq!(own.0, plain.0);
        assert!(own.1.iter().any(|(reason, count)| *reason == Reason::OtherProduct && *count == 1));
    }
    let first = read(&[&core, &ram, &gpu, &other]);
    assert!(!first.0.contains("a2-highgpu-1g"), "two rates for one part: {}", first.0);
    assert!(first.1.iter().any(|(reason, count)| *reason == Reason::ConflictingPrices && *count == 1));
    for skus in [[&other, &core, &ram, &gpu], [&gpu, &other, &ram, &core], [&ram, &other, &core, &gpu]] {
        assert_eq!(read(&skus), first);
    }
}

/// What says no day is of one of the days since it last changed; what says one is of that.
#[test]
fn files_without_a_day_are_of_the_days_since_they_changed() {
    let row = b"provider,instance,region,usd_per_hour\naws,p5.48xlarge,us-east-1,40\n";
    let text = |since: Option<&str>| {
        let import = import_of("plain", &File { since: since.map(day), ..file("x.csv") }, row).unwrap();
        sound(&import);
        import.overlay.text(&[])
    };
    assert!(
        text(Some("2026-11-20")).contains("as-of = { not-before = 2026-11-20, not-after = 2026-11-25 }\n")
    );
    for same in [None, Some("2026-11-25"), Some("2026-11-26")] {
        assert!(text(same).contains("as-of = 2026-11-25\n"), "{same:?}");
    }
    let said = b"provider,instance,region,usd_per_hour,as_of\naws,p5.48xlarge,us-east-1,40,2026-10-01\n";
    let own = import_of("plain", &File { since: Some(day("2026-01-01")), ..file("x.csv") }, said).unwrap();
    assert!(own.overlay.text(&[]).contains("as-of = 2026-10-01\n"));
}

#[cfg(feature = "refresh")]
#[test]
fn the_last_change_is_the_day_of_the_newest_commit() {
    use crate::refresh::sources::last_change;
    let commit = |date: &str| {
        format!(
            r#"[{{"sha":"x","commit":{{"author":{{"date":"2020-01-01"}},"committer":{{"name":"b","date":"{date}"}}}}}}]"#
        )
    };
    assert_eq!(last_change(commit("2026-11-29T21:04:05Z").as_bytes()), Ok(day("2026-11-29")));
    for odd in [
        "[]",
        "{}",
        "",
        r#"{"message":"API rate limit exceeded"}"#,
        "[1]",
        &commit("yesterday"),
        &commit("2026-13-01T"),
    ] {
        assert!(last_change(odd.as_bytes()).is_err(), "{odd}");
    }
}
