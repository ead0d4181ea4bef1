internal import CUnwind
internal import PerfModel

/// The modules of one launch during a period of time, by address.
struct ModuleMap {
  /// A module at its address.
  struct Entry {
    let low: UInt64
    let high: UInt64
    let bias: UInt64
    /// The index of its image.
    let module: Int
  }

  /// The addresses of modules, for the search of overlaps.
  private struct Places {
    /// Ascending.
    private let lows: [UInt64]
    /// The largest end of each module and all before it.
    private let highs: [UInt64]

    init(_ modules: [LoadedModule]) {
      let modules = modules.sorted { $0.low < $1.low }
      var furthest: UInt64 = 0
      lows = modules.map(\.low)
      highs = modules.map { module in
        furthest = max(furthest, module.high)
        return furthest
      }
    }

    /// Returns whether a module overlaps any of these.
    ///
    /// - Complexity: O(log *n*).
    func overlap(_ module: LoadedModule) -> Bool {
      let place = lastIndex(of: lows.indices) { lows[$0] < module.high }
      return place.map { highs[$0] > module.low } ?? false
    }
  }

  /// Ascending, without overlap.
  let entries: [Entry]

  /// Earlier times, in the first second after the machine's start, are unknown.
  private static let earliest: UInt64 = 1_000_000_000

  /// Arranges the modules of a list; of overlapping modules it keeps the lowest.
  ///
  /// - Parameters:
  ///   - list: The modules that were known at the time.
  ///   - next: The next list, for samples that were taken during the change: modules that it adds
  ///     may already have been loaded. Modules of the two lists that overlap are both omitted.
  ///   - contested: Modules that overlap another module at some time. They are omitted if more was
  ///     loaded or unloaded between the lists than their difference shows.
  ///   - images: The files of modules.
  /// - Complexity: O(*n* log *n*).
  init(
    _ list: ModuleList, next: ModuleList?, contested: Set<LoadedModule> = [], images: ModuleImages
  ) {
    var modules = list.modules
    if let next {
      let known = Set(modules)
      let added = next.modules.filter { !known.contains($0) }
      let (old, new) = (Places(modules), Places(added))
      modules = modules.filter { !new.overlap($0) } + added.filter { !old.overlap($0) }
      if !Self.isAllTold(list, next, added: added.count) {
        modules.removeAll { contested.contains($0) }
      }
    }
    var end: UInt64 = 0
    var isTaken = [Bool](repeating: false, count: modules.count)
    for place in modules.indices.sorted(by: { modules[$0].low < modules[$1].low })
    where modules[place].low >= end {
      end = modules[place].high
      isTaken[place] = true
    }
    let seen = list.time < Self.earliest ? nil : realSeconds(at: list.time)
    entries = zip(modules, isTaken).filter(\.1).map { module, _ in
      Entry(
        low: module.low, high: module.high, bias: module.bias,
        module: images.index(of: module, loadedBy: seen))
    }.sorted { $0.low < $1.low }
  }

  /// Returns whether the difference of two lists explains all loads and unloads between them.
  private static func isAllTold(_ list: ModuleList, _ next: ModuleList, added: Int) -> Bool {
    let removed = list.modules.count + added - next.modules.count
    return next.adds &- list.adds == UInt64(added)
      && next.subs &- list.subs == UInt64(max(0, removed))
  }

  /// Returns the modules that overlap another module of any list.
  ///
  /// - Complexity: O(*n* log *n*) for lists that share their memory.
  static func contested(in lists: [ModuleList]) -> Set<LoadedModule> {
    var distinct: Set<[LoadedModule]> = []
    for list in lists { distinct.insert(list.modules) }
    let modules = Set(distinct.joined()).sorted { ($0.low, $0.high) < ($1.low, $1.high) }
    var contested: Set<LoadedModule> = []
    // The module with the largest end so far.
    var furthest: LoadedModule?
    for module in modules {
      if let furthest, furthest.high > module.low { contested.formUnion([furthest, module]) }
      if furthest.map({ $0.high < module.high }) ?? true { furthest = module }
    }
    return contested
  }

  /// Returns the location of an address in its module, or nil.
  ///
  /// - Complexity: O(log *n*).
  func location(of address: UInt64) -> AddressTree.Location? {
    entry(at: address).map {
      AddressTree.Location(module: Int32($0.module), address: address &- $0.bias)
    }
  }

  /// Returns the module at an address, or nil.
  ///
  /// - Complexity: O(log *n*).
  func entry(at address: UInt64) -> Entry? {
    let place = lastIndex(of: entries.indices) { entries[$0].low <= address }
    return place.map { entries[$0] }.flatMap { address < $0.high ? $0 : nil }
  }
}
