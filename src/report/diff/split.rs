//! What a change of cost comes from: the prices, or the workload.
//!
//! With T the total, u the price of one machine for an hour, and q the node-hours that are paid, before (0) and now (1):
//!
//! - The change is T1 − T0.
//! - The **price effect** is what the old workload would cost at the new prices, less T0: q0 · (u1 − u0), to the cent. It
//!   is 0 where u is the same, and the whole change where q is the same.
//! - The **workload effect** is the rest, so the two add up to the change to the cent. It holds everything that is no
//!   price: other settings, hours, nodes, machines, and estimates of another version.
//!
//! Where another machine, region or contract was chosen, u0 and u1 are of the old choice if the new answer still has its
//! price; else the price effect is that of the new choice on its own node-hours, q1 · (u1 − u0), if the old answer had its
//! price. Where an answer holds the whole question (`check` does) and both questions are the same, asked of the same
//! version, only prices can have made another choice, and the whole change is price effect. Otherwise the change is known
//! and its parts are not.

use super::stored::{Choice, Item, Stored};
use crate::money::Usd;
use rust_decimal::Decimal;

/// One change, in parts that add up to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Split {
    /// `None` where the cost of a side is not known.
    pub(super) change: Option<Decimal>,
    pub(super) price: Option<Decimal>,
    pub(super) workload: Option<Decimal>,
    /// What the reader should know of it.
    pub(super) note: Option<String>,
}

impl Split {
    fn of(change: Decimal, price: Option<Decimal>, note: Option<String>) -> Self {
        Self { change: Some(change), price, workload: price.map(|price| change - price), note }
    }

    fn unknown(note: &str) -> Self {
        Self { note: Some(note.to_owned()), ..Self::default() }
    }

    /// Something that was not there before: no price did that.
    pub(super) fn added(new: &Item) -> Self {
        new.total.map_or_else(
            || Self::unknown("new, and its cost is not known"),
            |total| Self::of(total, Some(Decimal::ZERO), None),
        )
    }

    /// Something that is no longer there.
    pub(super) fn removed(old: &Item) -> Self {
        old.total.map_or_else(
            || Self::unknown("gone, and what it cost is not known"),
            |total| Self::of(-total, Some(Decimal::ZERO), None),
        )
    }

    /// Something that is on both sides.
    pub(super) fn between((before, old): (&Stored, &Item), (now, new): (&Stored, &Item)) -> Self {
        let (t0, t1) = match (old.total, new.total) {
            (Some(t0), Some(t1)) => (t0, t1),
            (None, Some(_)) => return Self::unknown("the old cost is not known"),
            (Some(_), None) => return Self::unknown("the new cost is not known: no saving"),
            (None, None) => return Self::unknown("neither cost is known"),
        };
        let change = t1 - t0;
        let (Some(a), Some(b)) = (&old.choice, &new.choice) else {
            return Self::of(change, None, Some("a side does not say what it chose".to_owned()));
        };
        if a.contract == b.contract {
            let (Some(u0), Some(u1), Some(q0), Some(q1)) =
                (a.unit_price(), b.unit_price(), a.quantity, b.quantity)
            else {
                return Self::of(change, None, Some("a price or the hours are not known".to_owned()));
            };
            let price = match (u0 == u1, q0 == q1) {
                (true, _) => Some(Decimal::ZERO),
                (false, true) => Some(change),
                (false, false) => effect(q0, u0, u1),
            };
            return Self::of(change, price, None);
        }
        let same = old.question.is_some()
            && old.question == new.question
            && before.generated_with == now.generated_with;
        if same {
            let note = "the same question: other prices made another choice";
            return Self::of(change, Some(change), Some(note.to_owned()));
        }
        let price_in = |stored: &Stored, of: &Choice| stored.prices.get(&of.contract).copied().flatten();
        let on_old = price_in(now, a).zip(a.unit_price()).zip(a.quantity);
        let on_new = b.unit_price().zip(price_in(before, b)).zip(b.quantity);
        let tried = [(on_old, "old"), (on_new, "new")];
        let found = tried.into_iter().find_map(|(prices, which)| {
            let ((u1, u0), quantity) = prices?;
            Some((effect(quantity, u0, u1)?, which))
        });
        if let Some((price, which)) = found {
            let note = format!("another choice; the price effect is that on the {which} one");
            return Self::of(change, Some(price), Some(note));
        }
        let note = "another choice, and neither answer has the other's price: the parts are not known";
        Self::of(change, None, Some(note.to_owned()))
    }
}

/// What another price does to so many node-hours, to the cent.
fn effect(quantity: Decimal, before: Decimal, now: Decimal) -> Option<Decimal> {
    (now - before).checked_mul(quantity).map(|exact| Usd::from_decimal(exact).decimal())
}
