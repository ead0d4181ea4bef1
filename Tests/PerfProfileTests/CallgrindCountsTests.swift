import PerfModel
import Testing

@testable import PerfProfile

/// Output files of callgrind 3.19.
struct CallgrindCountsTests {
  /// `main` calls `leaf` ten times in a loop between two requests; recorded with `--dump-instr=yes
  /// --dump-line=no --cache-sim=yes --branch-sim=yes --instr-atstart=no` and shortened.
  private static let recorded = """
    # callgrind format
    version: 1
    creator: callgrind-3.19.0
    pid: 27297
    cmd:  ./t
    part: 1

    desc: D1 cache: 32768 B, 64 B, 8-way associative
    desc: Trigger: Program termination

    positions: instr
    events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim
    summary: 0

    ob=(1) /tmp/t
    fl=(1) /tmp/t.c
    fn=(0) main
    0x747 1
    +5 1
    cfn=(4) leaf
    calls=1 -108
    * 3 0 2
    -3 9 0 0 1
    +3 9
    cfn=(4)
    calls=9 0x6e0
    * 27 0 18
    +5 10 0 0 0 0 0 0 0 0 10 2
    cob=(2) /usr/lib/libc.so.6
    cfn=(6) puts
    calls=2 0x80970
    * 12

    fn=(4)
    0x6e0 10 0 10 0 0 1 0 0 1
    +7 10
    +4 10 10

    ob=(2)
    fl=(2) ???
    fn=(6)
    0x80970 12

    ob=(3) ???
    fn=(8) 0x4838000
    0x4838000 8

    totals: 80 10 10 1 0 1 0 0 1 10 2

    """

  private func counts(_ text: String) throws -> CallgrindCounts {
    try CallgrindCounts(Array(text.utf8))
  }

  private func place(_ object: Int, _ address: UInt64) -> CallgrindCounts.Place {
    CallgrindCounts.Place(object: object, address: address)
  }

  /// Every cost line but those after `calls=` adds to its address; relative addresses go on from
  /// the line before, 0x747, 0x74c, 0x749, 0x74c, 0x751.
  @Test func `instructions are counted by their address, without those of calls`() throws {
    let counts = try counts(Self.recorded)
    #expect(counts.objects == ["/tmp/t", "/usr/lib/libc.so.6", "???"])
    #expect(
      counts.instructions == [
        place(0, 0x747): 1, place(0, 0x74c): 10, place(0, 0x749): 9, place(0, 0x751): 10,
        place(0, 0x6e0): 10, place(0, 0x6e7): 10, place(0, 0x6eb): 10, place(1, 0x80970): 12,
        place(2, 0x4838000): 8,
      ])
  }

  /// 0x74c - 108 is 0x6e0.
  ///
  /// A call without `cob=` goes to the object of the caller.
  @Test func `calls are counted by the called address and its object`() throws {
    #expect(
      try counts(Self.recorded).calls == [place(0, 0x6e0): 10, place(1, 0x80970): 2])
  }

  /// D1mr + D1mw = 0 + 1.
  ///
  /// The cycles are 80 + 10 (Bcm 2 + I1mr 1 + D1mw 1) + 100 (DLmw 1) = 220.
  @Test func `the metrics follow from the totals and the calls`() throws {
    #expect(
      try counts(Self.recorded).metrics == [
        "work.instructions": 80, "work.calls": 12, "work.data_misses": 1,
        "work.estimated_cycles": 220,
      ])
  }

  /// D1mw of 0x6e0, and Bcm of 0x751; no other line has D1mr, D1mw, Bcm or Bim.
  @Test func `misses are counted by their address`() throws {
    let counts = try counts(Self.recorded)
    #expect(counts.dataMisses == [place(0, 0x6e0): 1])
    #expect(counts.branchMisses == [place(0, 0x751): 2])
  }

  /// Code without a file is one function, and a file that is gone is another.
  ///
  /// Data misses are D1mr + D1mw: 4 + 5 + 1 = 10 and 3. Branch misses are Bcm + Bim: 2 + 6 + 1 = 9
  /// and 0. The line after `calls=` has the misses of the callees.
  @Test func `misses are summed by function, without those of calls`() throws {
    let text = """
      positions: instr
      events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim
      ob=(1) ???
      0x10 20 9 9 1 4 5 0 2 1 8 2 7 6
      cob=(2) /nonexistent/gone
      calls=1 0x40
      0x11 7 3 0 0 3
      0x12 5 1 0 0 1 0 0 0 0 1 1
      ob=(2)
      0x40 7 3 0 0 3
      totals: 32 13 9 1 8 5 0 2 1 9 3 7 6

      """
    let builder = WorkProfileBuilder(tools: ToolPaths(symbolizer: nil, demangler: nil))
    for launch in 0..<2 { builder.add(try counts(text), launch: launch) }
    let profile = builder.finish()?.profile
    let functions = try #require(profile).functions
    #expect(functions.map(\.module) == [nil, "gone"])
    #expect(functions.map(\.instructions) == [[25, 25], [7, 7]])
    #expect(functions.map(\.dataMisses) == [[10, 10], [3, 3]])
    #expect(functions.map(\.branchMisses) == [[9, 9], [0, 0]])
  }

  @Test func `without simulated caches there are two metrics`() throws {
    let text = """
      positions: instr line
      events: Ir
      ob=/tmp/t
      0x10 7 5
      +2 * 6
      totals: 11

      """
    let counts = try counts(text)
    #expect(counts.metrics == ["work.instructions": 11, "work.calls": 0])
    #expect(counts.instructions == [place(0, 0x10): 5, place(0, 0x12): 6])
    #expect(counts.dataMisses == nil && counts.branchMisses == nil)
  }

  /// 8 of 80 instructions.
  @Test func `the share of generated code is the share of the object without a name`() throws {
    #expect(try counts(Self.recorded).generatedShare == 0.1)
  }

  @Test func `a file that is cut off is refused at every length`() throws {
    let bytes = Array(Self.recorded.utf8)
    for length in bytes.indices {
      #expect(throws: PerfProfileError.self) { try CallgrindCounts(Array(bytes[..<length])) }
    }
  }

  @Test(arguments: [
    "calls=x 0x10", "calls=1", "ob=(9)", "0x10 many", "+", "no separator", "totals: -1",
  ])
  func `an invalid line is refused with its text`(line: String) {
    let text = "positions: instr\nevents: Ir\nob=(1) /tmp/t\n\(line)\ntotals: 0\n"
    #expect(
      throws: PerfProfileError.tool(
        path: "callgrind", reason: "line '\(line)' of its counts is invalid")
    ) { try counts(text) }
  }
}
