//! The project file: every section typed, every mistake with its place.

use super::*;
use crate::money::{Usd, UsdPerHour};

fn read(text: &str) -> Result<Project, InputError> {
    Project::read("gpuadvise.toml", text)
}

fn refused(text: &str, place: &str, named: &str) {
    let error = read(text).expect_err(text).to_string();
    assert!(error.starts_with(&format!("gpuadvise.toml:{place}: ")), "{text}: {error}");
    assert!(error.contains(named), "{text} must name {named}: {error}");
}

/// The file of the contract.
const WHOLE: &str = "\
[defaults]
provider = [\"aws\", \"gcp\"]
region = [\"us-*\", \"eu-*\"]
billing = [\"on-demand\", \"spot\"]

[[workload]]
name = \"pretrain\"
task = \"train\"
params = \"1e9\"
tokens = \"20B\"
pick = \"cheapest\"

[[workload]]
name = \"chat\"
task = \"infer\"
model = \"llama-3-8b\"
instance = \"aws/p5.48xlarge\"
nodes = 2

[budget]
total = 5000
monthly = 2000
hourly = 40.25
max-age-days = 120
unknown-price = \"warn\"

[discount]
aws = { on-demand = 12.5, spot = 3 }

[[policy]]
id = \"eu-only\"
level = \"deny\"
when = \"!row.region.startsWith('eu-')\"
message = \"training data must stay in the EU\"
";

#[test]
fn every_section_arrives() {
    let project = read(WHOLE).unwrap();
    let names: Vec<&str> = project.workloads.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["pretrain", "chat"]);
    assert_eq!((project.workloads[0].pick, project.workloads[0].nodes), (Some(Pick::Cheapest), None));
    assert_eq!((project.workloads[1].pick, project.workloads[1].nodes), (None, Some(2)));
    assert_eq!((project.workloads[1].place.line, project.workloads[1].place.column), (13, 1));
    let budget = project.budget;
    assert_eq!((budget.total, budget.monthly), (Usd::from_f64(5000.0), Usd::from_f64(2000.0)));
    assert_eq!((budget.hourly, budget.max_age_days), (UsdPerHour::from_f64(40.25), Some(120)));
    assert_eq!(budget.unknown_price, Level::Warn);
    let off: Vec<(Billing, String)> =
        project.discounts.iter().map(|line| (line.billing, line.percent.to_string())).collect();
    assert_eq!(off, [(Billing::OnDemand, "12.5".to_owned()), (Billing::Spot, "3".to_owned())]);
    assert_eq!((project.policies[0].id.as_str(), project.policies[0].level), ("eu-only", Level::Deny));
    let asked = project.workloads[0].settings.texts_over(&project.defaults);
    assert_eq!((asked["params"].as_slice(), asked["provider"].len()), (["1e9".to_owned()].as_slice(), 2));
}

#[test]
fn an_empty_budget_still_refuses_unknown_prices() {
    assert_eq!(read("").unwrap().budget.unknown_price, Level::Deny);
}

#[test]
fn a_budget_that_is_no_amount_is_refused_with_place_and_remedy() {
    for value in
        ["nan", "-nan", "inf", "-1", "-0.01", "\"lots\"", "true", "[1]", "{ usd = 1 }", "1e15", "2026-01-01"]
    {
        for key in ["total", "monthly", "hourly"] {
            refused(&format!("[budget]\n{key} = {value}\n"), &format!("2:{}", key.len() + 4), "such as 5000");
        }
    }
    refused("[budget]\ntotal = \"5000\"\n", "2:9", "without quotes");
    refused("[budget]\nmax-age-days = -1\n", "2:16", "whole number of days");
    refused("[budget]\nmax-age-days = 1.5\n", "2:16", "whole number of days");
    refused("[budget]\nunknown-price = \"denny\"\n", "2:17", "`deny`");
    refused("[budget]\nunknown-price = true\n", "2:17", "deny, warn");
    refused("budget = 5\n", "1:10", "");
    assert!(read("[budget]\ntotal = 0\n").is_ok() && read("[budget]\ntotal = 1_000.50\n").is_ok());
}

#[test]
fn unknown_keys_have_near_names() {
    refused("[budget]\ntotall = 5\n", "2:1", "`total`");
    refused("[budget]\ntotal = 5\nmax-age = 5\n", "3:1", "`max-age-days`");
    refused("[[workload]]\nname = \"a\"\nregoin = \"x\"\n", "3:1", "`region`");
    refused("[[workload]]\nname = \"a\"\npik = \"cheapest\"\n", "3:1", "`pick`");
    refused("[[policy]]\nid = \"a\"\nwhen = \"true\"\nmesage = \"x\"\n", "4:1", "`message`");
    refused("[discount]\naws = { ondemand = 5 }\n", "2:9", "on-demand");
    refused("[[workloads]]\nname = \"a\"\n", "1:3", "`workload`");
}

#[test]
fn workloads_are_named_once_and_pinned_whole() {
    refused("[[workload]]\ntask = \"train\"\n", "1:1", "without a `name`");
    refused("[[workload]]\nname = \"\"\n", "2:8", "`name`");
    refused("[[workload]]\nname = \"a\"\n[[workload]]\nname = \"a\"\n", "3:1", "called `a`");
    refused("[[workload]]\nname = \"a\"\npick = \"cheap\"\n", "3:8", "`cheapest`");
    refused("[[workload]]\nname = \"a\"\nnodes = 2\n", "3:9", "PROVIDER/TYPE");
    refused("[[workload]]\nname = \"a\"\ninstance = \"aws/p5.48xlarge\"\nnodes = 0\n", "4:9", "1 or more");
    refused("[[workload]]\nname = \"a\"\ndeadline = -3\n", "3:12", "--deadline");
}

#[test]
fn a_discount_is_below_everything_and_stands_once() {
    for value in ["100", "-1", "nan", "\"5%\"", "101.5"] {
        refused(&format!("[discount]\naws = {{ on-demand = {value} }}\n"), "2:21", "from 0 to below 100");
    }
    refused("[discount]\naws = { committed = 5 }\n", "2:9", "not one billing kind");
    refused("[discount]\naws = { on-demand = 5, on_demand = 6 }\n", "2:36", "two discounts");
    refused("[discount]\naws = 5\n", "2:7", "");
}

#[test]
fn policies_are_whole() {
    refused("[[policy]]\nwhen = \"true\"\n", "1:1", "`id`");
    refused("[[policy]]\nid = \"a\"\n", "1:1", "`when`");
    refused("[[policy]]\nid = \"a\"\nwhen = \"true\"\nlevel = \"error\"\n", "4:9", "deny, warn");
    refused("[[policy]]\nid = \"budget-total\"\nwhen = \"true\"\n", "2:6", "otherwise");
    let twice = "[[policy]]\nid = \"a\"\nwhen = \"true\"\n".repeat(2);
    refused(&twice, "4:1", "called `a`");
    let short = read("[[policy]]\nid = \"a\"\nwhen = \"row.nodes > 8\"\n").unwrap();
    assert_eq!((short.policies[0].level, short.policies[0].message.contains("`a`")), (Level::Deny, true));
}

#[test]
fn limits_of_a_budget_may_only_warn() {
    let all = read("[budget]\ntotal = 5\nhourly = { limit = 2, level = \"deny\" }\nlevel = \"warn\"\n")
        .unwrap()
        .budget;
    assert_eq!((all.total, all.hourly), (Usd::from_f64(5.0), UsdPerHour::from_f64(2.0)));
    assert_eq!(
        (all.levels.total, all.levels.hourly, all.levels.age),
        (Level::Warn, Level::Deny, Level::Warn)
    );
    let one = read("[budget]\ntotal = { limit = 5, level = \"warn\" }\nmax-age-days = { limit = 30 }\n")
        .unwrap()
        .budget;
    assert_eq!((one.levels.total, one.levels.age, one.max_age_days), (Level::Warn, Level::Deny, Some(30)));
    refused("[budget]\ntotal = { level = \"warn\" }\n", "2:9", "without a `limit`");
    refused("[budget]\ntotal = { limit = 5, limits = 6 }\n", "2:9", "`limit`");
    refused("[budget]\ntotal = { limit = -5 }\n", "2:9", "not negative");
    refused("[budget]\ntotal = { limit = nan }\n", "2:9", "not nan");
    refused("[budget]\nlevel = \"error\"\n", "2:9", "deny, warn");
}
