use super::*;
use crate::catalog::provenance::SourceId;

fn price(cached: Option<f64>) -> TokenPrice {
    TokenPrice {
        api: "somewhere".to_owned(),
        model: "m".to_owned(),
        preset: None,
        input_usd_per_mtok: 0.5,
        cached_usd_per_mtok: cached,
        output_usd_per_mtok: 1.5,
        ends: None,
        source: SourceId(0),
        overridden: false,
    }
}

/// P150, P152: three sorts of tokens, each at its price; cached ones are a part of the input.
#[test]
fn cached_tokens_are_part_of_the_input() {
    let tokens = Tokens { input: 10e6, cached: 4e6, output: 2e6 };
    let known = bill(&price(Some(0.05)), &tokens, None).expect("a bill");
    assert_eq!(known.total(), Usd::from_cents(300 + 20 + 300));
    let unknown = bill(&price(None), &tokens, None).expect("a bill");
    assert_eq!((unknown.total(), unknown.cached_at_input_price), (Usd::from_cents(500 + 300), true));
    let told = bill(&price(None), &tokens, Some(0.1)).expect("a bill");
    assert_eq!((told.total(), told.cached_at_input_price), (Usd::from_cents(300 + 40 + 300), false));
}
