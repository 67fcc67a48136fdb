//! Lays the rows of a layer over those of the catalog: same key replaces, and ids follow their rows.

use std::collections::BTreeMap;

use super::Layer;
use super::prices::key as price_key;
use crate::catalog::gpu::GpuId;
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::price::Price;
use crate::catalog::region::RegionId;

/// Where the rows of a list went: new positions by old position.
pub(super) struct Moves(Vec<u16>);

impl Moves {
    fn apply(&self, id: &mut u16) {
        if let Some(&new) = self.0.get(usize::from(*id)) {
            *id = new;
        }
    }
}

/// Replaces and adds rows, keeps the list sorted by its key, and says where the old rows went.
pub(super) fn lay_over<T, K: Ord>(list: &mut Vec<T>, rows: Vec<T>, key: impl Fn(&T) -> K) -> Moves {
    let count = list.len();
    if rows.is_empty() {
        return Moves((0..count as u16).collect());
    }
    let mut merged: BTreeMap<K, (Option<usize>, T)> = BTreeMap::new();
    for (old, row) in std::mem::take(list).into_iter().enumerate() {
        merged.insert(key(&row), (Some(old), row));
    }
    for row in rows {
        let at = key(&row);
        let old = merged.get(&at).and_then(|(old, _)| *old);
        merged.insert(at, (old, row));
    }
    let mut moves = vec![0; count];
    for (new, (old, row)) in merged.into_values().enumerate() {
        if let Some(old) = old {
            moves[old] = new as u16;
        }
        list.push(row);
    }
    Moves(moves)
}

/// The same for prices, of which there may be a million: sorted in place, of two of one offer the later one stays.
pub(super) fn lay_prices(list: &mut Vec<Price>, mut rows: Vec<Price>) {
    list.append(&mut rows);
    list.sort_by_key(price_key);
    list.dedup_by(|later, earlier| {
        let same = price_key(later) == price_key(earlier);
        if same {
            std::mem::swap(later, earlier);
        }
        same
    });
}

impl Layer<'_> {
    /// GPUs moved: families and machines follow.
    pub(super) fn gpus_moved(&mut self, moves: &Moves) {
        for GpuId(id) in self.catalog.families.iter_mut().flat_map(|family| &mut family.members) {
            moves.apply(id);
        }
        for instance in &mut self.catalog.instances {
            moves.apply(&mut instance.gpu.0);
        }
    }

    /// Providers moved: regions, machines and charges follow.
    pub(super) fn providers_moved(&mut self, moves: &Moves) {
        let regions = self.catalog.regions.iter_mut().map(|region| &mut region.provider);
        let instances = self.catalog.instances.iter_mut().map(|instance| &mut instance.provider);
        let charges = self.catalog.charges.iter_mut().map(|charge| &mut charge.provider);
        for ProviderId(id) in regions.chain(instances).chain(charges) {
            moves.apply(id);
        }
    }

    /// Regions moved: prices follow.
    pub(super) fn regions_moved(&mut self, moves: &Moves) {
        let prices = self.catalog.prices.iter_mut().map(|price| &mut price.region);
        let carbon = self.catalog.carbon.iter_mut().map(|row| &mut row.region);
        for RegionId(id) in prices.chain(carbon) {
            moves.apply(id);
        }
    }

    /// Machines moved: prices follow.
    pub(super) fn instances_moved(&mut self, moves: &Moves) {
        for InstanceId(id) in self.catalog.prices.iter_mut().map(|price| &mut price.instance) {
            moves.apply(id);
        }
    }
}
