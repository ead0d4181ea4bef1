internal import CoverCache

/// The form of a look-up key.
enum CoverKeyForm: String, CaseIterable {
  /// A stored string.
  case stored
  /// A string that is formatted for each look-up, e.g. `9780140449136_200x300`.
  case formatted
  /// A structure of a number and a size.
  case structure
}

/// The name and size of a cover as a key without a string.
struct SizedCover: Hashable {
  let book: Int
  let size: PixelSize
}

/// A least-recently-used cache for keys of any form: slots in a ring, ordered by their last use.
///
/// The tables of the CoverCache module are compiled for string keys and would be slower with any
/// other key, so a comparison of keys needs this generic cache.
struct KeyedCache<Key: Hashable> {
  private let count: Int
  private var slots: [Key: Int] = [:]
  private var keys: [Key] = []
  private var covers: [PixelBuffer] = []
  /// The slots used before and after each slot.
  private var older: [Int] = []
  private var newer: [Int] = []
  private var newest = 0

  init(count: Int) { self.count = max(1, count) }

  /// Looks up a cover and inserts it if it is missing.
  mutating func request(_ key: Key, orElse cover: PixelBuffer) {
    if let slot = slots[key] {
      use(slot)
    } else {
      insert(cover, for: key)
    }
  }

  private mutating func insert(_ cover: PixelBuffer, for key: Key) {
    if keys.count < count {
      let slot = keys.count
      keys.append(key)
      covers.append(cover)
      older.append(slot)
      newer.append(slot)
      if slot > 0 { link(slot) }
      newest = slot
      slots[key] = slot
    } else {
      // In the ring the slot after the newest is the oldest.
      let slot = newer[newest]
      slots[keys[slot]] = nil
      keys[slot] = key
      covers[slot] = cover
      slots[key] = slot
      newest = slot
    }
  }

  private mutating func use(_ slot: Int) {
    guard slot != newest else { return }
    if newer[newest] != slot {
      newer[older[slot]] = newer[slot]
      older[newer[slot]] = older[slot]
      link(slot)
    }
    newest = slot
  }

  /// Inserts a slot between the newest and the oldest.
  private mutating func link(_ slot: Int) {
    let oldest = newer[newest]
    older[slot] = newest
    newer[slot] = oldest
    newer[newest] = slot
    older[oldest] = slot
  }
}
