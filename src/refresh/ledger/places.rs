//! The machine and the region that an offer is of: those of the catalog, or new ones of the overlay.

use super::{Ledger, MOST_NAMES, Machine, New, Place};
use crate::catalog::instance::{InstanceId, ProviderId};
use crate::catalog::lookup::names::squeeze;
use crate::refresh::{Fault, Offer, Reason, hardware};

impl Ledger<'_> {
    pub(super) fn machine(
        &mut self,
        of: ProviderId,
        offer: &Offer<'_>,
        source: u16,
    ) -> Result<Result<u32, Reason>, Fault> {
        let said = &offer.hardware;
        let (gpu, gpus, memory) = (said.gpu, said.gpus, said.memory_gib);
        let key = format!("{}\u{1f}{gpu}\u{1f}{gpus:?}\u{1f}{memory:?}", offer.machine.to_ascii_lowercase());
        if let Some(known) = self.machine_ids.get(&(of, key.clone())) {
            return Ok(*known);
        }
        let by_hardware = self.rules.by_hardware.contains(&self.catalog.provider(of).name);
        let id = match self.find_machine(of, offer, by_hardware, source) {
            Ok(machine) => self.enter_machine(machine)?,
            Err(reason) => Err(reason),
        };
        // What is found again and again is remembered; a file of nothing but different names is not.
        if self.machine_ids.len() < 4 * MOST_NAMES {
            self.machine_ids.insert((of, key), id);
        }
        Ok(id)
    }

    /// The position of a machine; two new ones of one name must be alike.
    fn enter_machine(&mut self, machine: Machine) -> Result<Result<u32, Reason>, Fault> {
        let name = (machine.provider, machine.name.to_ascii_lowercase());
        if let Some(&at) = self.machine_names.get(&name) {
            let alike = match (&self.machines[at as usize].known, &machine.known) {
                (Err(one), Err(other)) => one.gpu == other.gpu && (one.gpus - other.gpus).abs() < 1e-9,
                (one, other) => one.is_ok() == other.is_ok(),
            };
            return Ok(if alike { Ok(at) } else { Err(Reason::GpuCountDiffers) });
        }
        if self.machines.len() >= MOST_NAMES {
            return Err(Fault::new(format!("more than {MOST_NAMES} machines"), "import it in parts"));
        }
        let at = self.machines.len() as u32;
        self.machines.push(machine);
        self.machine_names.insert(name, at);
        Ok(Ok(at))
    }

    fn find_machine(
        &self,
        of: ProviderId,
        offer: &Offer<'_>,
        by_hardware: bool,
        source: u16,
    ) -> Result<Machine, Reason> {
        let said = &offer.hardware;
        let known = |id: InstanceId| {
            let instance = self.catalog.instance(id);
            // Shares are rounded in every source.
            let agrees = |count: f64| (count - instance.gpus).abs() <= instance.gpus * 0.02;
            if said.gpus.is_none_or(|count| agrees(count) || count == 0.0) {
                Ok(Machine { provider: of, name: instance.name.clone(), known: Ok(id) })
            } else {
                Err(Reason::GpuCountDiffers)
            }
        };
        if let Some(id) = hardware::named(self.catalog, of, offer.machine) {
            return known(id);
        }
        if said.gpu.is_empty() {
            return Err(if said.gpus == Some(0.0) { Reason::NoGpu } else { Reason::MachineNotKnown });
        }
        let gpus = hardware::count(said)?;
        let gpu = hardware::gpu(self.catalog, of, said)?;
        if (by_hardware || offer.machine.is_empty())
            && let Some(id) = hardware::alike(self.catalog, of, gpu, gpus)
        {
            return known(id);
        }
        let name = if by_hardware || offer.machine.is_empty() {
            format!("{gpus}x-{}", self.catalog.gpu(gpu).name)
        } else {
            offer.machine.to_owned()
        };
        let sound = |number: Option<f64>| number.filter(|n| n.is_finite() && *n > 0.0 && *n < 1e9);
        let (vcpus, ram_gib, nvme_gb) = (sound(said.vcpus), sound(said.ram_gib), sound(said.nvme_gb));
        let new = New { gpu, gpus, vcpus, ram_gib, nvme_gb, source };
        Ok(Machine { provider: of, name, known: Err(new) })
    }

    /// The region and what tells quotes in it apart. A provider with one price for all places has its regions as slots.
    pub(super) fn region(
        &mut self,
        of: ProviderId,
        offer: &Offer<'_>,
        source: u16,
    ) -> Result<(u32, u32), Fault> {
        let only = self.regions.only(of);
        let slot = match (only, offer.slot) {
            (Some(_), "") => offer.region,
            (_, slot) => slot,
        };
        let slot = self.slot(slot)?;
        // As the checks of a catalog compare names.
        let key = (of, if only.is_some() { String::new() } else { squeeze(offer.region) });
        if let Some(&id) = self.place_ids.get(&key) {
            return Ok((id, slot));
        }
        let known = only.or_else(|| self.regions.named(of, &key.1));
        let same = known.and_then(|id| self.places.iter().position(|it| it.known == Some(id)));
        let id = match same {
            Some(at) => at,
            None if self.places.len() >= MOST_NAMES => {
                return Err(Fault::new(format!("more than {MOST_NAMES} regions"), "import it in parts"));
            }
            None => {
                let name = known.map_or(offer.region, |id| self.catalog.region(id).name.as_str()).to_owned();
                self.places.push(Place { provider: of, name, known, source });
                self.places.len() - 1
            }
        };
        self.place_ids.insert(key, id as u32);
        Ok((id as u32, slot))
    }

    fn slot(&mut self, name: &str) -> Result<u32, Fault> {
        if let Some(&id) = self.slots.get(name) {
            return Ok(id);
        }
        if self.slots.len() >= 16 * MOST_NAMES {
            return Err(Fault::new(format!("more than {} zones", 16 * MOST_NAMES), "import it in parts"));
        }
        let id = self.slots.len() as u32;
        self.slots.insert(name.to_owned(), id);
        Ok(id)
    }
}
