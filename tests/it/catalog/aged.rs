//! How old prices are: told in every answer that has prices, and `--max-age` holds in each of them.

use crate::program::Program;

/// A day on which every price of the program is older than a day.
const NOW: &str = "1796000000";

const ANSWERS: &[&str] = &[
    "recommend --params 1e9 --task train",
    "recommend --model llama-3-8b --task infer --billing all",
    "cost --gpu H100 --hours 10",
    "cost --instance aws/p5.48xlarge --region us-east-1",
    "commitments --gpu H100:8 --hours-per-day 8 --days-per-week 5 --instances 2",
    "tco --gpu H100:8",
    "catalog prices --gpu H100",
];

#[test]
fn every_answer_with_prices_tells_their_age_and_honours_max_age() {
    let program = Program::new().env("SOURCE_DATE_EPOCH", NOW);
    for line in ANSWERS {
        let finished = program.run_line(&format!("gpuadvise {line} --json"));
        let json = finished.json();
        assert_eq!(finished.code, 0, "{line}: {}", finished.stderr);
        for end in ["as_of_oldest", "as_of_newest"] {
            assert!(
                json["catalog"][end].as_str().is_some_and(|day| day.len() == 10),
                "{line}: {}",
                json["catalog"]
            );
        }
        assert!(json["catalog"]["sources"].as_array().is_some_and(|sources| !sources.is_empty()), "{line}");
        let text = program.run_line(&format!("gpuadvise {line}")).stdout;
        assert!(
            text.contains("oldest 20") || text.contains("as of 20") || text.contains("from 20"),
            "{line}: {text}"
        );
        let aged = program.run_line(&format!("gpuadvise {line} --json --max-age 1"));
        assert_eq!(aged.code, 5, "{line}: {}", aged.stdout);
        assert!(aged.stderr.contains("max-age"), "{line}: {}", aged.stderr);
    }
}

/// A project has a limit of its own, and that of the flag of its name.
#[test]
fn a_project_honours_both_of_its_limits() {
    let workload = "[[workload]]\nname = \"a\"\ntask = \"train\"\nparams = \"1e9\"\n";
    let budget = format!("{workload}[budget]\nmax-age-days = 1\n");
    let defaults = format!("[defaults]\nmax-age = 1\n{workload}");
    let program = Program::new()
        .file("budget.toml", &budget)
        .file("defaults.toml", &defaults)
        .env("SOURCE_DATE_EPOCH", NOW);
    let broken = program.run_line("gpuadvise check budget.toml --json");
    assert_eq!(broken.code, 4, "{}", broken.stderr);
    assert!(broken.stdout.contains("max-age-days"), "{}", broken.stdout);
    assert_eq!(program.run_line("gpuadvise check defaults.toml --json").code, 5);
}

/// Age counts from the first day on which a price can have been said.
#[test]
fn age_counts_from_the_first_day_of_a_range() {
    let overlay = "schema = 1\nprice = [{ provider = \"aws\", instance = \"p5.48xlarge\", region = \"us-east-1\", billing = \"on-demand\", \
                   usd-per-hour = 50, source = \"x\" }]\n[sources.x]\ntext = \"a list\"\n\
                   as-of = { not-before = 2026-11-01, not-after = 2026-11-29 }\n";
    let program = Program::new().file("own.toml", overlay).env("SOURCE_DATE_EPOCH", NOW);
    let line = "gpuadvise cost --instance aws/p5.48xlarge --region us-east-1 --billing on-demand --catalog own.toml --json";
    let row = program.run_line(&format!("{line} --max-age 40")).json()["rows"][0].clone();
    assert_eq!(
        row["price_as_of"],
        serde_json::json!({ "not_before": "2026-11-01", "not_after": "2026-11-29" })
    );
    assert_eq!(program.run_line(&format!("{line} --max-age 20")).code, 5, "the last day alone would pass");
}
