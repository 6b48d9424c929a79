//! Index files: whatever the bytes, with right checksums half of the time, opening and asking end with answers
//! or an error, and a file that passes `check` answers as the index of its terms.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

#[path = "../../tests/engine/damage.rs"]
#[allow(dead_code)]
mod damage;

fuzz_target!(|bytes: &[u8]| damage::try_file(bytes, &|| "fuzzed".into()));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let size = fuzzer_mutate(data, size, max_size);
    if seed % 2 == 0 {
        damage::correct_checksums(&mut data[..size]);
    }
    size
});
