import PerfTestSupport
import Testing

@testable import PerfProtocol

/// Messages of the control channel with seeded changes are read, or refused with an error.
struct MutatedMessageTests {
  private static let lines = [
    #"{"type":"hello","protocol":1,"suite":"S","build":{"compiler":"6.3","configuration":"release"},"workloads":[{"name":"w","starts_at_launch":true,"parameters":[{"name":"n","type":"int","default":3,"minimum":1,"maximum":9}],"counters":[{"name":"c","unit":"ns","direction":"lower"}]}]}"#,
    #"{"type":"progress","label":"covers","done":1,"total":2}"#,
    #"{"type":"warning","code":"a.b","message":"m","remedy":"r"}"#,
    #"{"type":"ready","files":["/a/b"],"notes":{"dataset":"v1"}}"#,
    #"{"type":"done","began":{"wall":1,"cpu":2,"user":1,"system":1,"allocations":4,"allocated":5},"ended":{"wall":11,"cpu":12,"user":8,"system":4},"counters":{"cache.hits":7}}"#,
    #"{"type":"failed","stage":"setup","message":"no disk"}"#,
    #"{"type":"setup","workload":"w","parameters":{"a":1,"b":2.5,"c":"x","d":true},"seed":7,"cache":"/c"}"#,
    #"{"type":"pressure","level":"warning","fraction":0.5,"budget":256000000}"#,
  ]

  @Test func `a changed line is a message or refused`() {
    var read = 0
    Mutation.each(of: Self.lines.map { Array($0.utf8) }, count: 6000, seed: 3) { line in
      if (try? WorkerMessage(line: line)) != nil { read += 1 }
      if (try? HarnessMessage(line: line)) != nil { read += 1 }
    }
    // A sixth of the inputs has one change, of which 0.1 * 0.9 change nothing: 90 of 6,000 are whole.
    // Three standard deviations (the root of 90) fewer are 62. Changed values are read as well.
    #expect(read >= 62)
  }
}
