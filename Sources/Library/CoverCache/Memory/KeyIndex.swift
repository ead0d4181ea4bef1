/// An index from key hashes to slots: open addressing with linear probing in one array.
///
/// At least half of the array is free. It contains no reference-counted values, so concurrent
/// look-ups share no cache line that any of them writes.
struct KeyIndex: ~Copyable {
  // The upper half is the hash's upper half, the lower half is the slot plus one; 0 is an empty
  // bucket.
  private var buckets: UnsafeMutableBufferPointer<UInt64>
  private var count = 0

  init() { buckets = KeyIndex.allocate(16) }

  deinit { buckets.deallocate() }

  /// Returns the slot of a hash that satisfies a condition; nil when there is none.
  func slot(hash: UInt64, where isKey: (Int) -> Bool) -> Int? {
    let tag = hash >> 32
    var position = home(of: hash)
    while buckets[position] != 0 {
      if buckets[position] >> 32 == tag {
        let slot = Int(buckets[position] & 0xFFFF_FFFF) - 1
        if isKey(slot) { return slot }
      }
      position = next(after: position)
    }
    return nil
  }

  /// Adds a slot whose key is absent.
  mutating func insert(_ slot: Int, hash: UInt64) {
    precondition(slot < Int(UInt32.max) - 1, "a table has at most 2^32 - 2 slots")
    if (count + 1) * 2 > buckets.count { grow() }
    place(hash & ~0xFFFF_FFFF | UInt64(slot + 1))
    count += 1
  }

  /// Removes a slot, if it is present.
  mutating func remove(_ slot: Int, hash: UInt64) {
    let bucket = hash & ~0xFFFF_FFFF | UInt64(slot + 1)
    var hole = home(of: hash)
    while buckets[hole] != bucket {
      guard buckets[hole] != 0 else { return }
      hole = next(after: hole)
    }
    count -= 1
    // Later entries that may occupy the hole move into it, so that no search ends early.
    var position = next(after: hole)
    while buckets[position] != 0 {
      let distance = (position - home(of: buckets[position])) & (buckets.count - 1)
      if distance >= (position - hole) & (buckets.count - 1) {
        buckets[hole] = buckets[position]
        hole = position
      }
      position = next(after: position)
    }
    buckets[hole] = 0
  }

  private func home(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 32) & (buckets.count - 1)
  }

  private func next(after position: Int) -> Int { (position + 1) & (buckets.count - 1) }

  private mutating func place(_ bucket: UInt64) {
    var position = home(of: bucket)
    while buckets[position] != 0 { position = next(after: position) }
    buckets[position] = bucket
  }

  private mutating func grow() {
    let old = buckets
    buckets = KeyIndex.allocate(old.count * 2)
    for bucket in old where bucket != 0 { place(bucket) }
    old.deallocate()
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutableBufferPointer<UInt64> {
    let buckets = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: capacity)
    buckets.initialize(repeating: 0)
    return buckets
  }
}
