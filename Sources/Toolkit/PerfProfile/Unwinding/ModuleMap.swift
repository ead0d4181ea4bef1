internal import CUnwind

/// The modules of one launch during one stretch of time, by address.
struct ModuleMap {
  /// A module at its place.
  struct Entry {
    let low: UInt64
    let high: UInt64
    let bias: UInt64
    /// Its index among the images.
    let module: Int
  }

  /// Ascending, without overlap.
  private(set) var entries: [Entry] = []

  /// Lays out the modules of a list.
  ///
  /// - Parameters:
  ///   - list: The modules that were known then.
  ///   - next: The list after it, for samples that were taken while one became the other: what it
  ///     adds may have been there already. Where a module of one list took the place of another's,
  ///     nobody knows which it was, and neither is taken.
  ///   - contested: Modules whose place another one has at some time. Where more was loaded or unloaded
  ///     from one list to the next than they tell, that may have been just then.
  ///   - images: Where their files are kept.
  init(
    _ list: ModuleList, next: ModuleList?, contested: Set<LoadedModule> = [], images: ModuleImages
  ) {
    var modules = list.modules
    if let next {
      let known = Set(modules)
      let added = next.modules.filter { !known.contains($0) }
      let clashes = { (one: LoadedModule, others: [LoadedModule]) in
        others.contains { $0.low < one.high && one.low < $0.high }
      }
      modules =
        list.modules.filter { !clashes($0, added) } + added.filter { !clashes($0, list.modules) }
      if !Self.isAllTold(list, next, added: added.count) {
        modules.removeAll { contested.contains($0) }
      }
    }
    for module in modules {
      let place = entries.firstIndex { $0.high > module.low } ?? entries.count
      guard place == entries.count || entries[place].low >= module.high else { continue }
      let entry = Entry(
        low: module.low, high: module.high, bias: module.bias, module: images.index(of: module))
      entries.insert(entry, at: place)
    }
  }

  /// Whether what was loaded and unloaded from one list to the next is what they differ by.
  private static func isAllTold(_ list: ModuleList, _ next: ModuleList, added: Int) -> Bool {
    let removed = list.modules.count + added - next.modules.count
    return next.adds &- list.adds == UInt64(added)
      && next.subs &- list.subs == UInt64(max(0, removed))
  }

  /// Returns the modules whose place another one has in some list.
  ///
  /// - Complexity: O(*n* log *n*) for lists that share their memory.
  static func contested(in lists: [ModuleList]) -> Set<LoadedModule> {
    var distinct: Set<[LoadedModule]> = []
    for list in lists { distinct.insert(list.modules) }
    let modules = Set(distinct.joined()).sorted { ($0.low, $0.high) < ($1.low, $1.high) }
    var contested: Set<LoadedModule> = []
    // The module that reaches furthest of those before.
    var furthest: LoadedModule?
    for module in modules {
      if let furthest, furthest.high > module.low { contested.formUnion([furthest, module]) }
      if furthest.map({ $0.high < module.high }) ?? true { furthest = module }
    }
    return contested
  }

  /// Returns the module at an address, or nil.
  ///
  /// - Complexity: O(log *n*).
  func entry(at address: UInt64) -> Entry? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].high <= address { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, address >= entries[low].low else { return nil }
    return entries[low]
  }
}
