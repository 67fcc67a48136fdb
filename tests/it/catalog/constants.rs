//! Constants of an overlay are ones that an estimate reads, and of the same kind.

use crate::program::Program;

fn check(rows: &str) -> (i32, String) {
    let text = format!("schema = 1\n[sources.MINE]\ntext = \"my runs\"\nas-of = 2026-11-01\n{rows}");
    let program = Program::new().file("mine.toml", &text);
    let finished = program.run(&["catalog", "check", "mine.toml"]);
    (finished.code, finished.stdout + &finished.stderr)
}

#[test]
fn an_overlay_may_only_change_constants_that_are_read_and_within_their_kind() {
    let row = |key: &str, value: &str| {
        format!("[[constant]]\nkey = \"{key}\"\ngpu = \"Hopper\"\nvalue = {value}\nsource = \"MINE\"\n")
    };
    let (code, page) = check(&row("train-efficiency", "0.4"));
    assert_eq!(code, 0, "{page}");
    for (key, value, wanted) in [
        ("train-efficency", "0.4", "did you mean `train-efficiency`?"),
        ("train-efficiency", "5", "not above 0 and up to 1"),
        ("train-efficiency", "-1", "not above 0 and up to 1"),
        ("train-efficiency", "0", "not above 0 and up to 1"),
        ("stack-efficiency", "0", "above 0 everywhere"),
    ] {
        let (code, page) = check(&row(key, value));
        assert_eq!(code, 5, "{key} = {value}: {page}");
        let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(wanted) && flat.contains("mine.toml:"), "{key} = {value}: {page}");
    }
}
