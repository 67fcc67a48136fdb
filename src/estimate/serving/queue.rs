//! A queue of requests that are all there at once, from the first prompt to the last token: its end included, where the
//! batch runs empty and weights are read for ever fewer sequences.

use super::ServingModel;
use crate::estimate::Layout;

/// Requests that wait for one replica.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    /// How many there are; `None` for as many as tests of the engine usually have.
    pub requests: Option<f64>,
    /// Whether the stated length of answers is the mean of lengths that vary.
    pub varied: bool,
}

impl ServingModel<'_> {
    /// [`Self::offline_batch`] when the memory holds less, and when it holds more than expected.
    pub fn offline_batches(&self, layout: &Layout) -> (u32, u32) {
        let pool = self.kv_pool(layout);
        let most = self.constants.max_batch;
        let of = |bytes: f64| (bytes / self.running_bytes(layout)).min(most).max(1.0) as u32;
        let expected = self.offline_batch(layout);
        (of(pool.low).min(expected), of(pool.high).max(expected))
    }

    /// Cache of a request that is half answered, on the fullest GPU.
    pub(super) fn running_bytes(&self, layout: &Layout) -> f64 {
        let running = f64::from(self.serving.input_len) + f64::from(self.serving.output_len) / 2.0;
        self.kv_per_gpu(layout, running.max(1.0)).max(1.0)
    }

    /// Requests per second of one replica over the whole of a queue.
    ///
    /// In the middle as many run as the cache holds, and each that ends makes room for the next. The end is a drain: the
    /// number that runs falls evenly to nothing, over one answer, or over the longest where lengths vary, and a step costs
    /// its mean over that (Simpson's rule between full, half and one). Requests of equal length that all run at once end
    /// together and have no drain.
    pub fn queue_requests_per_s(&self, layout: &Layout, queue: Queue) -> f64 {
        let most = f64::from(self.offline_batch(layout));
        let usual = self.constants.queue_requests;
        let requests = queue.requests.or((usual > 0.0).then(|| usual / f64::from(layout.dp.max(1))));
        let running = requests.map_or(most, |all| all.clamp(1.0, most));
        let rate = self.timing(layout, running).requests_per_s;
        let Some(requests) = requests.map(|all| all.max(1.0)) else { return rate };
        requests / (requests / rate + self.drain_s(layout, running, requests, queue.varied))
    }

    /// Seconds by which the end of a queue takes longer than the same work in the middle of it.
    fn drain_s(&self, layout: &Layout, running: f64, requests: f64, varied: bool) -> f64 {
        let steps = (f64::from(self.serving.output_len) - 1.0).max(0.0);
        let context = f64::from(self.serving.input_len) + steps / 2.0;
        let step = |batch: f64| self.decode_pass(layout, batch, context).total;
        let full = step(running);
        let mean = (full + 4.0 * step((running / 2.0).max(1.0)) + step(1.0)) / 6.0;
        if varied {
            // Lengths spread evenly up to `longest` means leave all of the work of the last batch to the drain.
            (self.constants.longest * mean - full).max(0.0) * steps
        } else {
            // What follows others that ended one by one ends one by one: half of its work is left to the drain.
            let staggered = ((requests - running) / running).clamp(0.0, 1.0);
            staggered * (mean - full / 2.0).max(0.0) * steps
        }
    }
}
