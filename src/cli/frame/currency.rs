//! The currency of an answer, inside the frame of a command.

use super::Frame;
use crate::catalog::Catalog;
use crate::catalog::select::{Filter, MaxAge};
use crate::cli::args::GlobalArgs;
use crate::cli::money::Money;
use crate::diag::InputError;
use std::cell::RefCell;

impl Frame {
    /// Whether the answer is to be told in another currency than its own.
    pub fn asks_for_currency(&self) -> bool {
        self.global.currency.is_some()
    }

    /// The currency of the answer, with the prices of the catalog converted for it.
    pub(super) fn settle(&self, catalog: &mut Catalog) -> anyhow::Result<()> {
        let money = Money::settle(&self.global, catalog, || self.today())?;
        // A second catalog of the same run is settled alike.
        let _ = self.money.set(RefCell::new(money));
        Ok(())
    }

    /// The same for a catalog of which nothing is bought: only the currencies of its prices change.
    pub fn exchange(&self, catalog: &mut Catalog) -> anyhow::Result<()> {
        let global = GlobalArgs { assume_commitment_discount: Vec::new(), ..self.global.clone() };
        let money = Money::settle(&global, catalog, || self.today())?;
        match self.money.get() {
            Some(known) => known.borrow_mut().also(money),
            None => _ = self.money.set(RefCell::new(money)),
        }
        Ok(())
    }

    /// Warns of exchange rates that are older than prices may be.
    pub fn warn_of_old_rates(&self, max_age: Option<MaxAge>) {
        let old = self.money.get().and_then(|money| money.borrow().old_rates(max_age));
        self.overlay_warnings.borrow_mut().extend(old);
    }

    /// Refuses what the currency of the answer would need a rate for: prices that are asked for, limits in dollars.
    pub fn confirm_currency(
        &self,
        catalog: &Catalog,
        filter: &Filter,
        limits_in_usd: bool,
    ) -> Result<(), InputError> {
        let Some(money) = self.money.get() else { return Ok(()) };
        self.warn_of_old_rates(filter.max_age);
        money.borrow_mut().confirm(catalog, filter, limits_in_usd)
    }

    /// Refuses what is in dollars where the answer has another currency and no rate.
    pub fn need_dollars(&self, what: &str) -> Result<(), InputError> {
        self.money.get().map_or(Ok(()), |money| money.borrow().need_dollars(what))
    }

    /// A sentence about money as the answer has it.
    pub fn in_currency(&self, text: &str) -> String {
        self.money.get().map_or_else(|| text.to_owned(), |money| money.borrow().sentence(text))
    }

    /// The text of a picture with the currency that everything is counted in on its axes.
    pub fn picture(&self, svg: String) -> String {
        match self.money.get().and_then(|money| money.borrow().native_code()) {
            Some(code) => svg.replace("USD/", &format!("{code}/")),
            None => svg,
        }
    }
}
