//! One source: from its answers to its place in the folder, or to the reason why its last good prices stay.

use super::known::{Body, Known, sha256};
use super::origin::Got;
use super::{Run, Snapshot};
use crate::catalog::Catalog;
use crate::catalog::price::Price;
use crate::catalog::provenance::AsOf;
use crate::catalog::validate::{SourceFile, validate};
use crate::cli::store::write::source_name;
use crate::cli::store::{LONGEST, overlay_name};
use crate::diag::{InputError, Level};
use crate::refresh::compare::{Name, name_of};
use crate::refresh::history::Line;
use crate::refresh::sources::Source;
use crate::refresh::update::{Judgement, judge};
use crate::refresh::{self, Doubt, File, Import, Ledger, dated, doubts};
use crate::report::catalog::UpdateLine;
use crate::report::date::Dated;
use crate::report::document::GENERATED_WITH;
use crate::report::json::pretty;
use jiff::civil::Date;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of a source that did not fail.
struct Fresh {
    /// The overlay.
    text: String,
    import: Option<Import>,
    known: Known,
}

impl Run<'_> {
    /// Fetches, judges and keeps one source. Whatever goes wrong is in the line.
    pub(super) fn one(&self, source: &Source) -> (UpdateLine, Option<Snapshot>) {
        let mut line = self.line(source);
        match self.try_one(source, &mut line) {
            Ok(snapshot) => (line, snapshot),
            Err(message) => {
                line.status = "failed";
                line.message = Some(message);
                (line, None)
            }
        }
    }

    fn try_one(&self, source: &Source, line: &mut UpdateLine) -> Result<Option<Snapshot>, String> {
        let (old_text, known) = self.last_good(source)?;
        let usable = known.as_ref().zip(old_text.as_ref()).filter(|(known, text)| {
            known.url == line.url
                && known.generated_with == GENERATED_WITH
                && known.overlay_sha256 == sha256(text.as_bytes())
        });
        let Some(fresh) = self.fetch(source, usable, line)? else {
            return Ok(None);
        };
        line.bytes = fresh.known.bodies.iter().map(|body| body.bytes).sum();
        line.sha256 = fresh.known.bodies.iter().map(|body| body.sha256.clone()).collect();
        if let Some(import) = &fresh.import {
            line.quotes_read = import.quotes;
            line.quotes_used = import.used;
        }
        if fresh.text.len() as u64 > LONGEST {
            return Err(format!("its prices take more than {} MiB", LONGEST >> 20));
        }
        let (new, doubts) = self.laid(source, &fresh.text)?;
        line.doubted(&doubts);
        let Some(newest) = newest_of(&new) else { return Err("it has no price that can be used".to_owned()) };
        let day = newest.not_after();
        line.as_of = Some(Dated(newest));
        let old = old_text.as_deref().and_then(|text| self.laid(source, text).ok()).map(|(old, _)| old);
        let judged = self.judge(source, old.as_ref(), &new);
        line.judged(&judged);
        let prices = snapshot(&new, source);
        line.prices = prices.len();
        let mut broken = judged.broken;
        broken.extend(old.as_ref().and_then(newest_of).and_then(|last| self.older(source, newest, last)));
        if !broken.is_empty() {
            line.status = "refused";
            line.message = Some(broken.join("; "));
            return Ok(None);
        }
        let same = old_text.as_deref() == Some(fresh.text.as_str());
        line.status = if same { "unchanged" } else { "updated" };
        self.keep(source, &fresh, newest, same)?;
        Ok(Some(Snapshot { providers: source.providers.clone(), day, prices }))
    }

    /// The last good overlay, and what is known of it. What is known is worth nothing when it cannot be read.
    fn last_good(&self, source: &Source) -> Result<(Option<String>, Option<Known>), String> {
        let text = self.store.read(&overlay_name(source.slot())).map_err(|error| error.to_string())?;
        let known = self.store.read(&source_name(source.slot())).map_err(|error| error.to_string())?;
        let known = known.and_then(|text| serde_json::from_str::<Known>(&text).ok());
        Ok((text, known.filter(|known| known.schema == 1 && known.source == source.name)))
    }

    /// `None` where a mirror does not have the source.
    fn fetch(
        &self,
        source: &Source,
        last: Option<(&Known, &String)>,
        line: &mut UpdateLine,
    ) -> Result<Option<Fresh>, String> {
        let format = refresh::format(&source.format).map_err(|error| error.to_string())?;
        let mut ledger = Ledger::new(self.own, self.today).map_err(|fault| fault.message)?;
        let mut bodies = Vec::new();
        let provider = (source.providers.len() == 1).then(|| source.slot());
        let place = self.origin.cited(source);
        let title = format!("{}: {place}", format.title);
        let as_of = if self.origin.is_mirror() { self.args.as_of } else { Some(self.today) };
        let since = self.origin.changed(self.frame, source)?.map(|day| day.min(self.today));
        let mut page = |body: &[u8], modified: Option<&str>| -> Result<(), String> {
            let file = File { name: &source.mirror, provider, as_of, since, source: Some(&title) };
            bodies.push(Body::of(body));
            refresh::read(format, &file, &mut &body[..], &mut ledger).map_err(|fault| {
                let InputError { message, hint, .. } = fault.of_file(&source.mirror);
                // When a copy was made is not when its prices were true.
                let copied = modified.filter(|_| as_of.is_none() && !format.dated).and_then(day_of);
                let copied = copied.map_or_else(String::new, |day| format!("; the copy is of {day}"));
                if hint.is_empty() { message } else { format!("{message} ({hint}{copied})") }
            })
        };
        let (etag, last_modified) =
            match self.origin.pages(self.frame, source, last.map(|(known, _)| known), &mut page)? {
                Got::Absent => {
                    line.status = "skipped";
                    line.message = Some("the mirror does not have it".to_owned());
                    return Ok(None);
                }
                Got::Same => {
                    return Ok(last.map(|(known, text)| self.again((format.dated, since), known, text)));
                }
                Got::New { etag, modified } => (etag, modified),
            };
        let import = ledger.finish();
        if import.overlay.prices() == 0 {
            let reasons = import.skipped.iter().take(3);
            let reasons: Vec<String> =
                reasons.map(|it| format!("{} {} ({})", it.count, it.reason.name(), it.example)).collect();
            return Err(format!(
                "nothing of it can be used as a price: {} read; {}",
                import.quotes,
                reasons.join(", ")
            ));
        }
        let notes = [
            "Kept by `gpuadvise catalog update`, which replaces it; do not edit.".to_owned(),
            format!("{} ({})", source.name, source.licence),
            place,
        ];
        let text = import.overlay.text(&notes);
        let known = Known { bodies, etag, last_modified, ..known_of(source, &line.url) };
        Ok(Some(Fresh { text, import: Some(import), known }))
    }

    /// An answer that did not change: where it says no day, its prices are now those of today.
    fn again(&self, (said, since): (bool, Option<Date>), known: &Known, text: &str) -> Fresh {
        let mut text = text.to_owned();
        if !said
            && !self.origin.is_mirror()
            && let Ok(day) = known.as_of.parse()
        {
            let before = known.not_before.as_deref().and_then(|day| day.parse().ok());
            let line = |since, day| format!("\n{}", dated(since, day));
            text = text.replace(&line(before, day), &line(since, self.today));
        }
        Fresh { text, import: None, known: known.clone() }
    }

    /// The catalog of the program with an overlay of this source, which has to be without errors, and what is odd in it.
    fn laid(&self, source: &Source, text: &str) -> Result<(Catalog, Vec<Doubt>), String> {
        let file = SourceFile { label: overlay_name(source.slot()), text: text.to_owned() };
        let (catalog, findings) = validate(&[file], self.own.clone(), true);
        match findings.iter().find(|finding| finding.level == Level::Error) {
            Some(finding) => Err(format!("the checks of the catalog refuse it: {finding}")),
            None => Ok((catalog, doubts(text, &findings))),
        }
    }

    /// Beside its own last prices; where it has none yet, each of its prices beside that of the program with its name, so
    /// that prices of the program which it does not have say nothing of it.
    fn judge(&self, source: &Source, old: Option<&Catalog>, new: &Catalog) -> Judgement {
        let new = only(new, |name, price| price.overridden && source.providers.iter().any(|it| it == name.0));
        let old = if let Some(old) = old {
            only(old, |name, price| price.overridden && source.providers.iter().any(|it| it == name.0))
        } else {
            let names: BTreeSet<Name<'_>> = new.prices.iter().map(|price| name_of(&new, price)).collect();
            only(self.own, |name, _| names.contains(name))
        };
        judge(&old, &new, self.guards)
    }

    /// Why prices are not kept in place of newer ones.
    fn older(&self, source: &Source, new: AsOf, last: AsOf) -> Option<String> {
        let file = self.store.folder().join(overlay_name(source.slot()));
        (new.not_after() < last.not_after()).then(|| {
            format!(
                "its prices are of {}, those that are kept are of {}; to go back, remove `{}` first",
                new.not_after(),
                last.not_after(),
                file.display()
            )
        })
    }

    /// Prices first, then what is known of them: cut off in between, the next run fetches once more.
    fn keep(&self, source: &Source, fresh: &Fresh, newest: AsOf, same: bool) -> Result<(), String> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let told = |error: anyhow::Error| format!("{error:#}");
        if !same {
            lock.write(&overlay_name(source.slot()), fresh.text.as_bytes()).map_err(told)?;
        }
        let known = Known {
            fetched_at: self.now.to_string(),
            as_of: newest.not_after().to_string(),
            not_before: Some(newest)
                .filter(|it| it.not_before() < it.not_after())
                .map(|it| it.not_before().to_string()),
            overlay_sha256: sha256(fresh.text.as_bytes()),
            ..fresh.known.clone()
        };
        let mut text = pretty(&serde_json::to_string(&known).map_err(|error| error.to_string())?);
        text.push('\n');
        lock.write(&source_name(source.slot()), text.as_bytes()).map_err(told)
    }
}

/// The newest day of the prices that were laid over a catalog.
fn newest_of(catalog: &Catalog) -> Option<AsOf> {
    let days = catalog.prices.iter().filter(|it| it.overridden).map(|it| catalog.source(it.source).as_of);
    days.max_by_key(|as_of| (as_of.not_after(), as_of.not_before()))
}

/// The catalog with some of its prices.
fn only(catalog: &Catalog, keep: impl Fn(&Name<'_>, &Price) -> bool) -> Catalog {
    let keep: Vec<bool> = catalog.prices.iter().map(|price| keep(&name_of(catalog, price), price)).collect();
    let mut keep = keep.into_iter();
    let mut catalog = catalog.clone();
    catalog.prices.retain(|_| keep.next().unwrap_or(false));
    catalog
}

/// What is known of a source before it has answered.
fn known_of(source: &Source, url: &str) -> Known {
    Known {
        schema: 1,
        generated_with: GENERATED_WITH.to_owned(),
        source: source.name.clone(),
        format: source.format.clone(),
        licence: source.licence.clone(),
        url: url.to_owned(),
        ..Known::default()
    }
}

/// The prices of a source, by name.
fn snapshot(catalog: &Catalog, source: &Source) -> BTreeMap<Line, Decimal> {
    let own = catalog.prices.iter().filter(|price| price.overridden);
    own.filter_map(|price| {
        let machine = catalog.instance(price.instance);
        let provider = catalog.provider(machine.provider).name.clone();
        let upfront = price.upfront.map_or("", |it| it.name()).to_owned();
        let region = catalog.region(price.region).name.clone();
        let billing = price.billing.name().to_owned();
        let currency = price.currency.code().to_owned();
        let line = [provider, machine.name.clone(), region, billing, upfront, currency];
        source.providers.contains(&line[0]).then_some((line, price.per_hour?.decimal()))
    })
    .collect()
}

/// The day of a header such as `Wed, 25 Nov 2026 07:28:00 GMT` (RFC 9110, section 5.6.7).
fn day_of(header: &str) -> Option<Date> {
    let time = jiff::fmt::rfc2822::parse(header).ok()?;
    Some(jiff::tz::Offset::UTC.to_datetime(time.timestamp()).date())
}
