//! Simulated programs whose objects' costs are known.

use fastrand::Rng;
use nearfar_infer::object_effects::{ObjectDesign, ObjectRun};

use super::program::{OtherChanges, ProgramNoise};

/// A program: how much more time it takes with each object far.
#[derive(Clone, Debug)]
pub struct SimulatedObjects {
    /// 0.2 is 20 % of its time with all near.
    pub effects: Vec<f64>,
    /// Its noise.
    pub noise: ProgramNoise,
}

impl SimulatedObjects {
    /// The design for its objects.
    pub fn design(&self) -> ObjectDesign {
        ObjectDesign::new(self.effects.len()).expect("a number of objects that has a design")
    }

    /// Its runs in this number of blocks, in the order of time.
    pub fn runs(&self, blocks: u32, seed: u64) -> Vec<ObjectRun> {
        let design = self.design();
        let mut rng = Rng::with_seed(seed);
        let all = f64::from(blocks * design.runs());
        let mut others = OtherChanges::new(self.noise, all, &mut rng);
        let mut runs = Vec::new();
        for block in 0..blocks {
            for run in design.block(block, !seed) {
                let far = |at: &usize| design.is_far(run, *at);
                let costs: f64 =
                    (0..self.effects.len()).filter(far).map(|at| self.effects[at]).sum();
                let log_time = 3.0 + (1.0 + costs).ln() + others.next(&mut rng);
                runs.push(ObjectRun { block, run, log_time });
            }
        }
        runs
    }
}
