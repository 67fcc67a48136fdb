//! What catalogues are refused, and how texts find their messages.

use super::image::{Catalogue, unpacked};
use super::source::{File, compile};
use super::{Lang, quoted, unquoted};
use proptest::prelude::*;

const HABITS: &str = "[language]\ntag = \"xx\"\nalso = []\nnames = [\"name\"]\nfree = [\"source\"]\nkept = [\"id\"]\nseparators = [[\", \", \"、\"]]\nstop = \"。\"\n\
                      colon = \"：\"\nopen = \"（\"\nclose = \"）\"\n";

fn compiled(messages: &str) -> Result<String, Vec<String>> {
    let file = |label: &str, text: &str| File { label: label.to_owned(), text: text.to_owned() };
    let files = [file("h.toml", HABITS), file("m.toml", &format!("[messages]\n{messages}"))];
    compile(&files).map(|compiled| unpacked(&compiled.image).expect("an image"))
}

/// What is said of a text with these messages.
fn said(messages: &str, text: &str) -> String {
    let image = compiled(messages).expect("a catalogue");
    Catalogue::read(&image).say(text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn bad_catalogues_are_refused_with_their_places() {
    for (messages, fault) in [
        ("\"a {n} b\" = \"甲 {m}\"", "m.toml:2:1: parts [\"n\"] here, [\"m\"] in the translation"),
        ("\"rank {n}\" = \"甲\"", "m.toml:2:1: parts [\"n\"] here, [] in the translation"),
        ("\"word\" = \"\"", "m.toml:2:1: an empty text"),
        ("\"{a} {b}\" = \"{a} {b}\"", "m.toml:2:1: a pattern needs a word of its own"),
        ("\"from {a}{b}\" = \"{a}{b}\"", "m.toml:2:1: two parts beside each other cannot be told apart"),
        ("\"from {a} to {a}\" = \"{a} {a}\"", "m.toml:2:1: a part with the same name twice"),
        (
            "\"from {a}\" = \"{a}\"\n\"from {b}\" = \"{b}\"",
            "m.toml:3:1: the same pattern stands at m.toml:2:1; only its parts are called otherwise",
        ),
        ("\"a b\" = \"甲\"\nx = 3", "m.toml:3:5: invalid type: integer `3`, expected a string"),
    ] {
        let faults = compiled(messages).expect_err(messages);
        assert!(faults.iter().any(|found| found == fault), "{fault} is not in {faults:?}");
    }
    let file = |label: &str, text: &str| File { label: label.to_owned(), text: text.to_owned() };
    let twice = [
        file("a.toml", &format!("{HABITS}[messages]\n\"x y\" = \"甲\"\n")),
        file("b.toml", "[messages]\n\"x y\" = \"乙\"\n"),
    ];
    let faults = compile(&twice).expect_err("a message twice");
    assert_eq!(faults, ["b.toml:2:1: this message stands at a.toml:13:1 too"]);
    assert!(compile(&[file("b.toml", "[messages]\n")]).is_err(), "a language without [language]");
}

#[test]
fn texts_are_said_whole_by_pattern_and_piece_by_piece() {
    let messages = "\"spot\" = \"抢占式\"\n\"on-demand\" = \"按量付费\"\n\"Nothing fits.\" = \"都放不下。\"\n\
                    \"{shown} of {all} rows.\" = \"{all} 行中的 {shown} 行。\"\n\"billed as {kind} here\" = \"此处按 {kind} 计费\"\n\
                    \"unknown {what} `{name}`\" = \"未知的 {what} `{name}`\"\n\"region\" = \"地域\"\n\"memory\" = \"显存\"\n";
    for (text, expected) in [
        ("spot", "抢占式"),
        ("5 of 12 rows.", "12 行中的 5 行。"),
        ("Nothing fits. 5 of 12 rows.", "都放不下。12 行中的 5 行。"),
        ("Nothing fits. Strange words. 1 of 2 rows.", "都放不下。Strange words. 2 行中的 1 行。"),
        ("billed as spot here", "此处按抢占式计费"),
        ("billed as xyz here", "此处按 xyz 计费"),
        ("spot, on-demand", "抢占式、按量付费"),
        ("spot, two words", "spot, two words"),
        ("spot *", "抢占式 *"),
        ("memory (GiB)", "显存 (GiB)"),
        ("memory (spot)", "显存（抢占式）"),
        ("region: x", "地域：x"),
        ("m.toml:3:1: spot", "m.toml:3:1: 抢占式"),
        ("unknown region `spot`", "未知的地域 `spot`"),
        ("  spot", "  抢占式"),
        ("spot\n\nregion: y", "抢占式\n\n地域：y"),
        ("spot.", "抢占式。"),
        ("5\u{a0}of 12 rows.", "12 行中的 5 行。"),
        ("billed as 80\u{a0}GiB here", "此处按 80\u{a0}GiB 计费"),
        ("12.5 %", "12.5 %"),
        ("unheard of", "unheard of"),
    ] {
        assert_eq!(said(messages, text), expected, "{text}");
    }
}

#[test]
fn a_phrase_that_is_not_known_is_not_put_into_a_sentence() {
    let messages = "\"{n} in {scope}\" = \"{scope}中的 {n}\"\n\"the whole catalog\" = \"整个目录\"\n\"quoted from {source}\" = \"来自 {source}\"\n";
    assert_eq!(said(messages, "5 in H100"), "H100 中的 5");
    assert_eq!(said(messages, "5 in the whole catalog"), "整个目录中的 5");
    assert_eq!(said(messages, "5 in all of the list"), "5 in all of the list");
    assert_eq!(said(messages, "quoted from a paper of theirs"), "来自 a paper of theirs");
    assert_eq!(said(messages, "rank 1: 5 in H100"), "rank 1: H100 中的 5");
    assert_eq!(said(messages, "Rows in file"), "Rows in file");
    assert_eq!(said(messages, "[odd-id] 5 in H100"), "[odd-id] H100 中的 5");
}

#[test]
fn the_stop_behind_a_last_part_ends_the_sentence() {
    let messages = "\"the GPU holds {count}\" = \"该 GPU 可容纳 {count} 个\"\n\"a month costs {kind}\" = \"每月 {kind}\"\n\
                    \"the units are {id}\" = \"单位为 {id}\"\n\"taken from {source}\" = \"来自 {source}\"\n\"spot\" = \"抢占式\"\n\
                    \"more of these follow\" = \"还有更多\"\n\"we say: {message}\" = \"说 {message}\"\n\"Nothing fits.\" = \"都放不下！\"\n";
    for (text, expected) in [
        ("the GPU holds 2", "该 GPU 可容纳 2 个"),
        ("the GPU holds 2.", "该 GPU 可容纳 2 个。"),
        ("the GPU holds 2:", "该 GPU 可容纳 2 个："),
        ("the GPU holds 2.5.", "该 GPU 可容纳 2.5 个。"),
        ("the GPU holds 2. More of these follow.", "该 GPU 可容纳 2 个。More of these follow."),
        ("the GPU holds 2. more of these follow.", "the GPU holds 2. more of these follow."),
        ("a month costs spot.", "每月抢占式。"),
        ("the units are fp32, fp16.", "单位为 fp32, fp16。"),
        ("the units are fp32 ...", "单位为 fp32 ..."),
        ("taken from Widgets Inc.", "来自 Widgets Inc."),
        ("we say: Nothing fits.", "说都放不下！"),
    ] {
        assert_eq!(said(messages, text), expected, "{text}");
    }
}

#[test]
fn a_star_is_no_part_of_what_it_marks() {
    let messages = "\"{kind} (all upfront)\" = \"{kind}（全预付）\"\n\"all upfront\" = \"全预付\"\n\"rent {kind}\" = \"租用 {kind}\"\n\
                    \"spot\" = \"抢占式\"\n\"subscription-1y\" = \"包年包月 1 年\"\n\
                    \"{kind}  0 % {bar} 100 %  from {n} %\" = \"{kind}  0 % {bar} 100 %  从 {n} % 起\"\n";
    for (text, expected) in [
        ("spot *", "抢占式 *"),
        ("rent spot *", "租用抢占式 *"),
        ("rent xyz *", "租用 xyz *"),
        ("subscription-1y (all\u{a0}upfront) *", "包年包月 1 年（全预付） *"),
        ("subscription-1y (all upfront) *", "包年包月 1 年（全预付） *"),
        ("a-1y (all\u{a0}upfront) *  0 % ░█ 100 %  from 60 %", "a-1y（全预付） *  0 % ░█ 100 %  从 60 % 起"),
        ("spot      0 % ░█ 100 %  from 60 %", "抢占式      0 % ░█ 100 %  从 60 % 起"),
        ("spot (all upfront), spot *", "抢占式（全预付）、抢占式 *"),
    ] {
        assert_eq!(said(messages, text), expected, "{text}");
    }
}

#[test]
fn figures_stand_beside_words_and_latin_beside_others() {
    let messages = "\"weights\" = \"权重\"\n\"KV cache\" = \"KV 缓存\"\n\"{one} against {other}\" = \"{one}对比{other}\"\n\"own\" = \"自购\"\n";
    for (text, expected) in [
        ("weights 13.039", "权重 13.039"),
        ("KV cache 1", "KV 缓存 1"),
        ("other words 1", "other words 1"),
        ("own against weights", "自购对比权重"),
        ("own against A100", "自购对比 A100"),
        ("H100 against own", "H100 对比自购"),
    ] {
        assert_eq!(said(messages, text), expected, "{text}");
    }
}

#[test]
fn the_most_literal_text_wins() {
    let messages = "\"{n} GPUs\" = \"{n} 张\"\n\"all {n} GPUs\" = \"全部 {n} 张\"\n\"all GPUs\" = \"全部\"\n";
    assert_eq!(said(messages, "8 GPUs"), "8 张");
    assert_eq!(said(messages, "all 8 GPUs"), "全部 8 张");
    assert_eq!(said(messages, "all GPUs"), "全部");
}

#[test]
fn locales_and_codes_name_languages() {
    for name in ["zh", "ZH", "zh-CN", "zh_CN", "zh-Hans"] {
        assert_eq!(Lang::find(name).map(Lang::code), Some("zh"), "{name}");
    }
    for locale in ["zh", "zh_CN.UTF-8", "zh-Hans", "zh_TW.UTF-8"] {
        assert_eq!(Lang::of_locale(locale).code(), "zh", "{locale}");
    }
    for locale in ["C", "C.UTF-8", "en_US.UTF-8", "de_DE", "", "POSIX", "zhuang"] {
        assert!(Lang::of_locale(locale).is_english(), "{locale}");
    }
    assert_eq!(Lang::find("tlh"), None);
    assert_eq!(Lang::default().say("Nothing qualifies."), "Nothing qualifies.");
}

proptest! {
    #[test]
    fn any_part_is_said_with_its_pattern(words in prop::collection::vec("[a-z]{5,9}", 2..5), parts in prop::collection::vec("[0-9A-Z/.,%-]{1,12}", 4)) {
        let parts = &parts[..words.len() - 1];
        let mut key = words[0].clone();
        let mut text = words[0].clone();
        for (i, (word, part)) in words[1..].iter().zip(parts).enumerate() {
            let name = (b'a' + i as u8) as char;
            key.extend([" {", &name.to_string(), "} ", word]);
            text.extend([" ", part, " ", word]);
        }
        let names: Vec<String> = (0..parts.len()).map(|i| format!("{{{}}}", (b'a' + i as u8) as char)).rev().collect();
        let said = said(&format!("{key:?} = \"共 {}\"\n", names.join(" | ")), &text);
        let expected: Vec<&str> = parts.iter().map(String::as_str).rev().collect();
        prop_assert_eq!(said, format!("共 {}", expected.join(" | ")));
    }

    #[test]
    fn unknown_text_stays_as_it_is(text in "\\PC{0,200}") {
        prop_assert_eq!(said("\"never heard {n}\" = \"甲 {n}\"\n", &text), text);
    }

    #[test]
    fn no_text_is_too_odd_for_the_catalogue(text in "(\\PC|[:.,( )*`\n]|error|spot|GPU| \\(|: ){0,80}") {
        let lang = Lang::find("zh").expect("a catalogue");
        let once = lang.say(&text);
        prop_assert_eq!(once, lang.say(&text));
    }
}

#[test]
fn a_quotation_stays_whatever_it_says() {
    let zh = Lang::find("zh").expect("Chinese");
    let own = "Nothing qualifies.";
    assert_ne!(zh.say(own), own, "a message of the catalogue");
    assert_eq!(zh.say(&quoted(own)), own);
    assert_eq!(zh.known(&quoted(own)), None);
    assert_eq!(Lang::default().say(&quoted(own)), own);
    let label = zh.say("warning: nothing");
    let line = zh.say(&format!("warning: {}", quoted("on-demand: spot, reserved. Nothing qualifies.")));
    assert!(line.ends_with("on-demand: spot, reserved. Nothing qualifies."), "{line}");
    assert_eq!(line.split('\u{ff1a}').next(), label.split('\u{ff1a}').next());
    // Marks of others end nothing, and an open one ends with the text.
    for odd in ["a\u{fdd1}b", "\u{fdd0}\u{fdd0}spot", "\u{fdd1}", "\u{10_0000}x", ""] {
        let plain = odd.replace(['\u{fdd0}', '\u{fdd1}'], "");
        assert_eq!(zh.say(&quoted(odd)), plain);
        assert!(!zh.say(odd).contains(['\u{fdd0}', '\u{fdd1}']), "{odd:?}");
    }
    let names: Vec<String> = (0..300).map(|n| quoted(&format!("spot {n}"))).collect();
    let all = names.join(", ");
    assert_eq!(zh.say(&all), unquoted(all));
}
