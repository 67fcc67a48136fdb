//! `JUnit` XML of `check`, as continuous-integration systems read it: a suite for each workload, a case for each limit
//! and policy that it was held against.

use super::check::{CheckAnswer, CheckedWorkload, ViolationLine};
use std::fmt::Write;

/// The whole file.
pub fn junit(answer: &CheckAnswer) -> String {
    let suites: Vec<Suite> = answer.workloads.iter().map(Suite::new).collect();
    let (tests, failures) = (
        suites.iter().map(|suite| suite.tests).sum::<usize>(),
        suites.iter().map(|suite| suite.failures).sum::<usize>(),
    );
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a `String` does not fail.
    let _ = writeln!(xml, "<testsuites name=\"gpuadvise check\" tests=\"{tests}\" failures=\"{failures}\">");
    for suite in suites {
        xml.push_str(&suite.xml);
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// The whole file where nothing could be checked: one case with the error.
pub fn junit_of_error(message: &str) -> String {
    let message = escape(message);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"gpuadvise check\" tests=\"1\" failures=\"0\" errors=\"1\">\n  \
         <testsuite name=\"gpuadvise\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    \
         <testcase classname=\"gpuadvise\" name=\"check\">\n      <error type=\"error\" message=\"{message}\"/>\n    \
         </testcase>\n  </testsuite>\n</testsuites>\n"
    )
}

struct Suite {
    tests: usize,
    failures: usize,
    xml: String,
}

impl Suite {
    fn new(workload: &CheckedWorkload) -> Self {
        let name = escape(&workload.name);
        let mut cases = String::new();
        let mut failures = 0;
        for id in &workload.checked {
            let broken: Vec<&ViolationLine> = workload.violations.iter().filter(|v| v.id == *id).collect();
            failures += usize::from(broken.iter().any(|violation| violation.level == "deny"));
            let open = format!("    <testcase classname=\"gpuadvise.{name}\" name=\"{}\"", escape(id));
            if broken.is_empty() {
                let _ = writeln!(cases, "{open}/>");
                continue;
            }
            let _ = writeln!(cases, "{open}>");
            for violation in broken {
                let message = escape(&violation.message);
                let _ = if violation.level == "deny" {
                    writeln!(cases, "      <failure type=\"deny\" message=\"{message}\"/>")
                } else {
                    writeln!(cases, "      <system-out>warning: {message}</system-out>")
                };
            }
            cases.push_str("    </testcase>\n");
        }
        let tests = workload.checked.len();
        let xml = format!(
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n\
             {cases}  </testsuite>\n"
        );
        Self { tests, failures, xml }
    }
}

/// Text as XML 1.0 holds it (section 2.2): markup escaped, characters that no XML may have replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn markup_and_control_characters_are_harmless() {
        assert_eq!(
            escape("a<b> & \"c\" 'd'\n\u{1}"),
            "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos; \u{fffd}"
        );
    }
}
