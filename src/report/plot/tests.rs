use super::{Panel, PlotPoint, predicted_against_measured, sheet};

fn point(measured: f64, predicted: f64, group: &str) -> PlotPoint {
    PlotPoint { measured, predicted, group: group.to_owned() }
}

#[test]
fn a_picture_says_how_many_figures_and_how_far_off() {
    let points = [point(100.0, 110.0, "a"), point(100.0, 130.0, "a"), point(10.0, 8.0, "b")];
    let svg = predicted_against_measured("Decode", "tokens/s", &points);
    assert!(svg.contains("n = 3, median error 20.0 %"), "{svg}");
    assert!(svg.contains("67 % within"), "{svg}");
    assert!(svg.contains("measured, tokens/s") && svg.contains("predicted, tokens/s"));
    assert_eq!(svg.matches("<path").count(), 3 + 2, "a mark for each figure and each group");
}

#[test]
fn what_stands_in_a_picture_cannot_run_or_break_it() {
    let evil = "</text><script>alert(1)</script>&\"'\u{0}";
    let svg = predicted_against_measured(evil, evil, &[point(1.0, 2.0, evil)]);
    assert!(!svg.contains("<script"), "{svg}");
    assert!(!svg.contains('\u{0}'));
    let balanced =
        |tag: &str| svg.matches(&format!("<{tag}")).count() == svg.matches(&format!("</{tag}>")).count();
    assert!(["svg", "text", "g", "title", "style"].into_iter().all(balanced), "{svg}");
}

#[test]
fn figures_that_have_no_logarithm_are_left_out() {
    let points =
        [point(0.0, 1.0, "a"), point(1.0, f64::NAN, "a"), point(-1.0, 2.0, "a"), point(3.0, 3.0, "a")];
    let svg = predicted_against_measured("x", "s", &points);
    assert!(svg.contains("n = 1,") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(predicted_against_measured("x", "s", &points[..3]).contains("no figures"));
}

#[test]
fn marks_lie_inside_the_axes_and_on_the_diagonal_when_right() {
    let points: Vec<PlotPoint> = [3e-7, 0.02, 1.0, 5e4, 2e11].map(|x| point(x, x, "a")).to_vec();
    let svg = predicted_against_measured("x", "s", &points);
    let places = svg.split("translate(").skip(2).take(5).map(|rest| {
        let mut numbers = rest.split(')').next().unwrap().split(' ').map(|n| n.parse::<f64>().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    });
    for (x, y) in places {
        assert!((86.0..=526.0).contains(&x) && (64.0..=504.0).contains(&y), "{x} {y}");
        assert!((x - 86.0 - (504.0 - y)).abs() < 0.11, "{x} {y}");
    }
}

#[test]
fn many_groups_share_the_last_mark_and_a_sheet_holds_many_panels() {
    let points: Vec<PlotPoint> =
        (0..60).map(|i| point(f64::from(i + 1), 10.0, &format!("source {i}"))).collect();
    let panel = Panel { title: "t".into(), unit: "s".into(), points };
    let svg = sheet("All", &[panel.clone(), panel.clone(), panel]);
    assert_eq!(svg.matches("41 other sources (41)").count(), 3);
    assert!(svg.contains("viewBox=\"0 0 1720 1160\""));
    assert_eq!(svg, sheet("All", &vec![svg_panel(60); 3]));
}

fn svg_panel(groups: i32) -> Panel {
    let points = (0..groups).map(|i| point(f64::from(i + 1), 10.0, &format!("source {i}"))).collect();
    Panel { title: "t".into(), unit: "s".into(), points }
}
