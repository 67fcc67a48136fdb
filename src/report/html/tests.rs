use super::super::view::{Block, Grid};
use super::{escape, write};

fn page(blocks: &[Block]) -> String {
    let mut out = Vec::new();
    write("a <b>", crate::lang::Lang::default(), blocks, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn nothing_that_is_shown_can_end_its_tag_or_attribute() {
    assert_eq!(escape(r#"<script>"x" & 'y'"#), "&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;");
    assert_eq!(escape("a\u{1b}[1m\u{0}\u{202e}b\u{ffff}"), "a [1m  b ");
    let mut grid = Grid::new(&["</th>", ">n"]);
    grid.push(vec!["</td><img src=x onerror=alert(1)>".to_owned(), "7".to_owned()]);
    let evil = "</pre></p><script>alert(1)</script>".to_owned();
    let page = page(&[
        Block::Heading(evil.clone()),
        Block::Text(evil.clone()),
        Block::List(vec![evil.clone()]),
        Block::Picture(vec![evil]),
        Block::Table(grid),
    ]);
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(page.contains("<title>a &lt;b&gt;</title>"));
    assert!(page.contains("<td>&lt;/td&gt;&lt;img"));
    assert!(page.contains("<th scope=\"col\" class=\"n\">n</th>") && page.contains("<td class=\"n\">7</td>"));
}

#[test]
fn a_picture_keeps_its_lines_and_an_empty_list_leaves_no_tag() {
    let page = page(&[
        Block::Picture(vec![String::new(), "  x ".to_owned(), "y".to_owned()]),
        Block::List(Vec::new()),
    ]);
    assert!(page.contains("<pre> \n  x\ny\n</pre>"), "{page}");
    assert!(!page.contains("<ul>"));
}
