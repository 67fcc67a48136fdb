//! `nvidia-smi -q -x`: one document a poll, whole or cut, with anything before, between and behind.

use super::dmon::MOST_GPUS;
use super::poll::Open;
use super::{Log, Shape, time};
use jiff::civil::DateTime;
use quick_xml::Reader;
use quick_xml::events::Event;

const START: &str = "<nvidia_smi_log";
const END: &str = "</nvidia_smi_log>";

/// Reads all documents of a text and gives back what stands around them.
pub(super) fn documents(text: &str, host: &str, log: &mut Log) -> String {
    let (mut rest, mut around) = (text, String::new());
    while let Some(start) = rest.find(START) {
        around.push_str(&rest[..start]);
        around.push('\n');
        let end = rest[start..].find(END).map_or(rest.len(), |end| start + end + END.len());
        document(&rest[start..end], host, log);
        rest = &rest[end..];
    }
    around.push_str(rest);
    around
}

fn document(text: &str, host: &str, log: &mut Log) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let (mut path, mut open, mut stamp, mut index): (Vec<String>, Option<Open>, Option<DateTime>, u32) =
        (Vec::new(), None, None, 0);
    // Text counts where its element ends: a cut one does not.
    let mut words = String::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                words.clear();
                let name = tag.name().as_ref().to_owned();
                if name == "gpu" && path.len() == 1 {
                    let id = tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == "id");
                    let bus = id.map(|attribute| attribute.value.into_owned());
                    open = Some(Open::new(bus, stamp));
                } else if let (Some(open), "mig_device") = (&mut open, name.as_str()) {
                    open.slice_begins();
                }
                path.push(name);
            }
            Ok(Event::Text(text)) => words.push_str(&text),
            Ok(Event::GeneralRef(name)) => words.push(entity(&name)),
            Ok(Event::End(_)) => {
                let names: Vec<&str> = path.iter().map(String::as_str).collect();
                match (&mut open, names.as_slice()) {
                    (None, [_, "timestamp"]) => stamp = time::banner(words.trim()),
                    (Some(open), [_, _, inner @ ..]) if !words.trim().is_empty() => {
                        open.text(inner, words.trim());
                    }
                    _ => {}
                }
                words.clear();
                path.pop();
                if path.len() == 1
                    && let Some(open) = open.take()
                {
                    open.finish(host, index, Shape::Xml, log);
                    index += 1;
                }
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
        if index >= MOST_GPUS {
            return;
        }
    }
    if let Some(open) = open {
        open.finish(host, index, Shape::Xml, log);
    }
}

/// The character of an entity; those of XML itself are all that the tool writes.
fn entity(name: &str) -> char {
    match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => '\u{fffd}',
    }
}
