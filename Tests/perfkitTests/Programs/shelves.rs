use std::hint::black_box;
mod shelf {
    pub trait Cover { fn weight(&self) -> u64; }
    pub struct Small(pub u64);
    impl Cover for Small {
        #[inline(never)]
        fn weight(&self) -> u64 {
            let mut x = self.0 | 1;
            for _ in 0..20_000 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; }
            x
        }
    }
    #[inline(never)]
    pub fn total<T: Cover>(all: &[T]) -> u64 {
        all.iter().map(|cover| cover.weight()).fold(0, u64::wrapping_add)
    }
}
fn main() {
    let work = move || {
        let covers: Vec<shelf::Small> = (0..16).map(shelf::Small).collect();
        (0..800).fold(0u64, |sum, _| sum.wrapping_add(shelf::total(black_box(&covers))))
    };
    let worker = std::thread::Builder::new().name("shelver".into()).spawn(work).unwrap();
    let mut caught = 0;
    while !worker.is_finished() {
        let result = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(7u8)));
        if result.is_err() { caught += 1; }
    }
    assert!(caught > 0 && worker.join().is_ok());
}
