//! Slices of TPU: sold as a whole, held by the catalog per chip.

use crate::catalog::Catalog;
use crate::catalog::instance::{Instance, ProviderId, Unit};
use crate::refresh::ledger::Ledger;
use crate::refresh::{Hardware, hardware};
use rust_decimal::Decimal;

/// A slice: the machine of the catalog that is one of its chips, and how many chips it has.
pub(super) struct Slice {
    pub(super) machine: String,
    pub(super) chips: u32,
}

/// The slice behind `tpu-v5p-8`, `v5litepod-4` or `v6e-8`; `None` for what is no slice that the catalog knows.
pub(super) fn slice(ledger: &Ledger<'_>, of: ProviderId, name: &str) -> Option<Slice> {
    let lower = name.to_ascii_lowercase();
    let (kind, count) = lower.strip_prefix("tpu-").unwrap_or(&lower).rsplit_once('-')?;
    let count: u32 = count.parse().ok().filter(|&count| count > 0)?;
    if !kind.starts_with('v') {
        return None;
    }
    let per_chip = if ledger.rules.two_cores.iter().any(|own| own == kind) { 2 } else { 1 };
    let catalog: &Catalog = ledger.catalog();
    let gpu = hardware::gpu(catalog, of, &Hardware { gpu: kind, ..Hardware::default() }).ok()?;
    let chips = (count / per_chip).max(1);
    let is = |it: &&Instance| {
        it.provider == of && it.gpu == gpu && it.unit == Unit::Chip && it.smallest_count <= chips
    };
    let machine = catalog.instances.iter().filter(is).max_by_key(|it| it.smallest_count)?;
    Some(Slice { machine: machine.name.clone(), chips })
}

/// The price of one chip of a slice.
pub(super) fn per_chip(price: Decimal, chips: u32) -> Decimal {
    price.checked_div(Decimal::from(chips)).unwrap_or_default()
}
