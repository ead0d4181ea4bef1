import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `the line of waiting loads` {
  @Test func `loads leave the line by priority and in order, whatever was removed or moved`() {
    var random = SampleRandom(seed: 3)
    var line = LoadLine()
    // The plain model: one array per priority.
    var model: [LoadPriority: [CoverLoad]] = [.prefetch: [], .visible: []]
    func first() -> CoverLoad? { model[.visible]?.first ?? model[.prefetch]?.first }
    func removeFromModel(_ load: CoverLoad) {
      for priority in LoadPriority.allCases { model[priority]?.removeAll { $0 == load } }
    }
    for _ in 0..<5_000 {
      let load = CoverLoad(key: "\(Int.random(in: 0..<40, using: &random))", kind: .thumbnail)
      switch Int.random(in: 0..<10, using: &random) {
      case ..<5:
        let priority: LoadPriority = random.chance(0.5) ? .visible : .prefetch
        line.append(load, priority)
        let known = LoadPriority.allCases.first { model[$0]?.contains(load) == true }
        if known ?? .prefetch < priority || known == nil {
          removeFromModel(load)
          model[priority]?.append(load)
        }
      case ..<8:
        line.remove(load)
        removeFromModel(load)
      default:
        let expected = first()
        #expect(line.popFirst() == expected)
        if let expected { removeFromModel(expected) }
      }
      #expect(line.contains(load) == model.values.contains { $0.contains(load) })
    }
    while let expected = first() {
      #expect(line.popFirst() == expected)
      removeFromModel(expected)
    }
    #expect(line.popFirst() == nil)
  }
}
