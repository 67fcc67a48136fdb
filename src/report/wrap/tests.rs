//! Where lines end.

use super::{broken, pieces, width_of};
use proptest::prelude::*;

#[test]
fn chinese_breaks_between_characters_and_not_before_a_comma() {
    assert_eq!(broken("没有符合条件的方案，请放宽约束。", 14), ["没有符合条件的", "方案，请放宽约", "束。"]);
    assert_eq!(broken("没有符合条件的，请放宽约束。", 14), ["没有符合条件", "的，请放宽约", "束。"]);
    assert_eq!(broken("每 GPU 22.33 TFLOP/s，MFU 0.1787", 16), ["每 GPU 22.33", "TFLOP/s，MFU", "0.1787"]);
    assert_eq!(broken("a  b c", 3), ["a b", "c"]);
    assert!(broken("  ", 5).is_empty());
}

proptest! {
    #[test]
    fn nothing_is_lost_and_nothing_too_wide(text in "([a-z0-9]{1,6}|[\u{4e00}-\u{4eff}]{1,9}|[，。（）]| ){0,30}", width in 8_usize..40) {
        let lines = broken(&text, width);
        let bare = |text: &str| text.replace(' ', "");
        prop_assert_eq!(bare(&lines.concat()), bare(&text));
        for line in &lines {
            let whole = !line.contains(' ') && pieces(line).len() == 1;
            prop_assert!(width_of(line) <= width || whole, "{line}");
            prop_assert!(!line.is_empty());
        }
    }
}
