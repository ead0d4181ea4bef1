import Testing

@testable import PerfProfile

@Suite struct ModuleMapTests {
  private func module(_ name: String, _ range: Range<UInt64>) -> LoadedModule {
    LoadedModule(
      path: "/lib/\(name)", buildID: Array(name.utf8), bias: range.lowerBound,
      low: range.lowerBound, high: range.upperBound)
  }

  private func map(_ first: [LoadedModule], _ second: [LoadedModule]?) -> ModuleMap {
    ModuleMap(
      ModuleList(time: 0, modules: first), next: second.map { ModuleList(time: 9, modules: $0) },
      images: ModuleImages())
  }

  @Test func `a module that the next list adds is known during the change`() {
    let (old, new) = (module("old", 100..<200), module("new", 300..<400))
    let map = map([old], [old, new])
    #expect(map.entry(at: 150)?.low == 100)
    #expect(map.entry(at: 350)?.low == 300)
    #expect(map.entry(at: 250) == nil)
  }

  @Test func `a module that the next list lacks is known during the change`() {
    let (old, gone) = (module("old", 100..<200), module("gone", 300..<400))
    #expect(map([old, gone], [old]).entry(at: 350)?.low == 300)
  }

  @Test func `modules of two lists at one address are both unknown during the change`() {
    let (still, one, other) = (
      module("still", 100..<200), module("one", 300..<400), module("other", 350..<500)
    )
    let between = map([still, one], [still, other])
    #expect(between.entry(at: 150)?.low == 100)
    for address: UInt64 in [310, 360, 450] { #expect(between.entry(at: address) == nil) }
    // Before and after the change, each is known.
    #expect(map([still, one], nil).entry(at: 360)?.low == 300)
    #expect(map([still, other], nil).entry(at: 360)?.low == 350)
  }

  @Test func `contested modules are unknown if more was loaded than two lists show`() {
    let (still, one, other) = (
      module("still", 100..<200), module("one", 300..<400), module("other", 350..<500)
    )
    func map(adds: UInt64, subs: UInt64) -> ModuleMap {
      let lists = [
        ModuleList(time: 0, adds: 10, subs: 3, modules: [still, one]),
        ModuleList(time: 9, adds: 10 + adds, subs: 3 + subs, modules: [still, one]),
        ModuleList(time: 20, adds: 20, subs: 12, modules: [still, other]),
      ]
      let contested = ModuleMap.contested(in: lists)
      #expect(contested == [one, other])
      return ModuleMap(lists[0], next: lists[1], contested: contested, images: ModuleImages())
    }
    #expect(map(adds: 0, subs: 0).entry(at: 350)?.low == 300)
    // One module was unloaded, the other came and went, and the first came back.
    #expect(map(adds: 2, subs: 2).entry(at: 350) == nil)
    #expect(map(adds: 2, subs: 2).entry(at: 150)?.low == 100)
  }

  @Test func `a file that was loaded again at another address contests nothing`() {
    let (before, after) = (module("same", 100..<200), module("same", 300..<400))
    let map = map([before], [after])
    #expect(map.entry(at: 150)?.bias == 100)
    #expect(map.entry(at: 350)?.bias == 300)
  }

  @Test func `the lowest of overlapping modules are known`() {
    let map = map(
      [module("high", 150..<300), module("low", 100..<200), module("next", 200..<250)], nil)
    #expect(map.entries.map(\.low) == [100, 200])
  }

  @Test func `lists of 100,000 modules are arranged and compared quickly`() {
    // The lists have no module in common; comparing all pairs would take 10^10 steps.
    let count: UInt64 = 100_000
    let list = { (first: UInt64) in
      (0..<count).reversed().map { number in
        let low = first + 20 * number
        return LoadedModule(path: "/lib/same", buildID: [], bias: low, low: low, high: low + 10)
      }
    }
    #expect(map(list(100), list(110)).entries.count == 2 * Int(count))
    // Half of each list's modules overlap one of the other list.
    #expect(map(list(100), list(105)).entries.isEmpty)
  }
}
