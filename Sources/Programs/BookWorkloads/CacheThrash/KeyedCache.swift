internal import CoverCache

/// What a cover is looked up by.
enum CoverKeyForm: String, CaseIterable {
  /// A text that is there already.
  case stored
  /// A text that is put together for each look-up, as `9780140449136_200x300`.
  case formatted
  /// A number and a size.
  case structure
}

/// A cover's name and the size in which it is wanted, without any text.
struct SizedCover: Hashable {
  let book: Int
  let size: PixelSize
}

/// A least-recently-used cache, the same for keys of any form: covers in slots, which are a ring in the
/// order of their last use.
///
/// Not the module's tables: those are made for texts, and would be slower by anything else only because
/// the compiler has not made them for it.
struct KeyedCache<Key: Hashable> {
  private let count: Int
  private var slots: [Key: Int] = [:]
  private var keys: [Key] = []
  private var covers: [PixelBuffer] = []
  /// The neighbours of each slot: the one used just before it, and the one just after.
  private var older: [Int] = []
  private var newer: [Int] = []
  private var newest = 0

  init(count: Int) { self.count = max(1, count) }

  /// Looks a cover up, and enters it when it is not there.
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
      // The one after the newest is the oldest, as they are a ring.
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

  /// Puts a slot between the newest and the oldest.
  private mutating func link(_ slot: Int) {
    let oldest = newer[newest]
    older[slot] = newest
    newer[slot] = oldest
    newer[newest] = slot
    older[oldest] = slot
  }
}
