import PerfModel
import Testing

@testable import PerfExport

/// The formats of pprof, speedscope and the Firefox Profiler.
struct BinaryImportTests {
  @Test func `the CPU time of pprof counts, with its samples and inlined functions`() throws {
    let read = try ProfileImport(Gzip.store(ImportFixtures.pprof))
    #expect(read.format == .pprof)
    #expect(read.profile.measure == .cpuTime)
    #expect(
      read.profile.weights() == [
        "ui: main;draw;blend": 30_000_000, "all threads: main": 10_000_000,
      ])
    #expect(read.profile.samples() == ["ui: main;draw;blend": 3, "all threads: main": 1])
    #expect(read.profile.nodes.map(\.line) == [5, 9, 12])
    #expect(read.profile.nodes.map(\.isInlined) == [false, false, true])
    #expect(read.profile.functions.map(\.module) == ["App", "App", "App"])
    #expect(read.profile.functions.map(\.file) == ["draw.go", "draw.go", "draw.go"])
    #expect(read.profile.modules == [Profile.Module(name: "App", path: "/opt/App", buildID: "")])
    #expect(read.profile.audit.rateAsked == 100)
    #expect(read.profile.audit.seconds == 2)
  }

  /// Returns a profile of one function with the given value type and value.
  private func pprof(
    _ type: String, _ unit: String, _ value: Int, more: (inout PprofWriter) -> Void = { _ in }
  )
    -> [UInt8]
  {
    var file = PprofWriter(["", type, unit, "f"])
    file.message(1) { $0.numbers([1: 1, 2: 2]) }
    file.message(2) { sample in
      sample.packed(1, [1])
      sample.packed(2, [value])
    }
    file.message(4) { location in
      location.numbers([1: 1])
      location.message(4) { $0.numbers([1: 1]) }
    }
    file.message(5) { $0.numbers([1: 1, 2: 3]) }
    more(&file)
    return file.bytes
  }

  @Test func `a heap profile of pprof is memory without numbers of samples`() throws {
    let read = try ProfileImport(pprof("inuse_space", "bytes", 4096))
    #expect(read.profile.measure == .init(name: "inuse_space", dimension: .size, hasSamples: false))
    #expect(read.profile.weights() == ["all threads: f": 4096])
  }

  @Test func `a period gives the numbers of samples`() throws {
    // 35 ms in samples of 10 ms are 3.5, rounded to four.
    let file = pprof("cpu", "milliseconds", 35) { $0.numbers([12: 10]) }
    #expect(try ProfileImport(file).profile.measure.hasSamples == false)
    let periodic = pprof("cpu", "milliseconds", 35) { file in
      file.message(11) { $0.numbers([1: 1, 2: 2]) }
      file.numbers([12: 10])
    }
    let read = try ProfileImport(periodic)
    #expect(read.profile.weights() == ["all threads: f": 35_000_000])
    #expect(read.profile.samples() == ["all threads: f": 4])
  }

  @Test(arguments: [
    (-1, "negative value"), (0, "no samples"), (Int.max, "10^18"),
  ])
  func `an impossible value of pprof is refused`(value: Int, reason: String) {
    let error = ProfileImport.error(pprof("cpu", "nanoseconds", value))
    #expect(error?.description.contains(reason) == true, "\(error as Any)")
  }

  @Test(arguments: [
    ([1: 9, 2: 2], "text 9"), ([1: 1, 2: -4], "text -4"), ([1: 1, 2: Int.min], "text"),
  ])
  func `an index of pprof out of range is refused`(type: [Int: Int], reason: String) {
    let file = pprof("cpu", "nanoseconds", 1) { $0.message(1) { $0.numbers(type) } }
    let error = ProfileImport.error(file)
    #expect(error?.description.contains(reason) == true, "\(error as Any)")
  }

  @Test func `unknown locations and functions of pprof are refused`() {
    let place = pprof("cpu", "nanoseconds", 1) { file in
      file.message(2) { sample in
        sample.packed(1, [7])
        sample.packed(2, [1])
      }
    }
    #expect(ProfileImport.error(place)?.description.contains("unknown location 7") == true)
    let values = pprof("cpu", "nanoseconds", 1) { $0.message(2) { $0.packed(2, [1, 2]) } }
    #expect(ProfileImport.error(values)?.description.contains("2 values instead of 1") == true)
    var file = PprofWriter(["", "cpu", "count"])
    file.message(1) { $0.numbers([1: 1, 2: 2]) }
    file.message(2) { sample in
      sample.packed(1, [1])
      sample.packed(2, [1])
    }
    file.message(4) { location in
      location.numbers([1: 1])
      location.message(4) { $0.numbers([1: 8]) }
    }
    #expect(ProfileImport.error(file.bytes)?.description.contains("unknown function 8") == true)
  }

  @Test func `both kinds of speedscope profiles are threads`() throws {
    let read = try ProfileImport(text: ImportFixtures.speedscope)
    #expect(read.format == .speedscope)
    #expect(read.profile.measure == .init(name: "time", dimension: .time, hasSamples: false))
    // t2: main alone from 10 to 12 and 15 to 16, draw from 12 to 15, blend from 18 to the end at 20.
    #expect(
      read.profile.weights() == [
        "t1: main;draw": 5_000_000, "t1: main;draw;blend": 2_000_000, "t2: main": 3_000_000,
        "t2: main;draw": 3_000_000, "t2: blend": 2_000_000,
      ])
    #expect(read.profile.threads.map(\.cpu) == [7_000_000, 8_000_000])
    #expect(read.profile.functions[0].file == "main.py")
  }

  @Test(arguments: [
    (#""weights":[1,2,4,100]"#, #""weights":[1,2,4]"#, "one weight for each sample"),
    (#""weights":[1,2"#, #""weights":[1,-2"#, "the weight -2"),
    (#""weights":[1,2"#, #""weights":[1e300,2"#, "10^18"),
    (#""weights":[1,2"#, #""weights":[NaN,2"#, "no valid JSON"),
    (#""samples":[[0,1]"#, #""samples":[[0,3]"#, "frame 3 of 3"),
    (#""samples":[[0,1]"#, #""samples":[[0,-1]"#, "frame -1 of 3"),
    (
      #""samples":[[0,1]"#, #""samples":["x""#,
      "'profiles.0.samples.0' has a value of the wrong type"
    ),
    (#""type":"C","frame":1"#, #""type":"C","frame":0"#, "closes frame 0"),
    (#""type":"C","frame":1"#, #""type":"X","frame":1"#, "unknown type 'X'"),
    (#""at":15"#, #""at":11"#, "order of time"),
    (#""type":"evented""#, #""type":"future""#, "the type 'future'"),
    ("milliseconds", "parsecs", "unknown unit 'parsecs'"),
    (#""shared":"#, #""other":"#, "'shared' is missing"),
  ])
  func `an impossible speedscope file is refused`(part: String, other: String, reason: String) {
    let error = ProfileImport.error(ImportFixtures.speedscope.replacing(part, with: other))
    #expect(error?.contains(reason) == true, "\(error as Any)")
  }

  @Test func `profiles of other units in a speedscope file are left out with a warning`() throws {
    let text = ImportFixtures.speedscope.replacing(
      #""evented","name":"t2","unit":"milliseconds""#, with: #""evented","name":"t2","unit":"none""#
    )
    let read = try ProfileImport(text: text)
    #expect(read.profile.threads.map(\.name) == ["t1"])
    #expect(read.profile.audit.warnings.map(\.code) == ["import.units"])
  }

  @Test(arguments: [ImportFixtures.firefox, ImportFixtures.sharedFirefox])
  func `a sample of Firefox weighs its interval, with tables of threads and shared ones`(
    text: String
  ) throws {
    let read = try ProfileImport(text: text)
    #expect(read.format == .firefox)
    #expect(read.profile.measure == .init(name: "time", dimension: .time))
    // Two samples of blend and one of draw, each 2 ms; one sample has no stack.
    #expect(
      read.profile.weights() == ["main: main;draw;blend": 4_000_000, "main: main;draw": 2_000_000])
    #expect(read.profile.nodes.map(\.line) == [0, 7, 8])
    #expect(read.profile.nodes.map(\.isInlined) == [false, false, true])
    #expect(read.profile.functions.map(\.module) == ["App", "App", ""])
    #expect(read.profile.functions.map(\.file) == [nil, "draw.c", nil])
    #expect(read.profile.timeline[0]?.map(\.time) == [0, 2_000_000, 6_000_000])
    #expect(read.profile.audit.seconds == 0.006)
    #expect(read.profile.audit.warnings.isEmpty)
  }

  @Test(arguments: [
    (#""prefix":[null,0,1]"#, #""prefix":[2,0,1]"#, "stack 0 has the prefix 2"),
    (#""prefix":[null,0,1]"#, #""prefix":[null,1,1]"#, "stack 1 has the prefix 1"),
    (#""prefix":[null,0,1]"#, #""prefix":[null,0]"#, "prefix is too short"),
    (#""prefix":[null,0,1]"#, #""prefixOffset":[0,2,1]"#, "prefix offset 2"),
    (#""prefix":[null,0,1]"#, #""other":1"#, "'stackTable.prefix' is missing"),
    (#""stack":[2,1"#, #""stack":[3,1"#, "stack 3 of 3"),
    (#""stack":[2,1"#, #""stack":[-1,1"#, "stack -1 of 3"),
    (#""frame":[0,1,2]"#, #""frame":[0,1,5]"#, "element 5 of frameTable.func"),
    (#""func":[0,1,2]"#, #""func":[0,1,9]"#, "element 9 of funcTable.name"),
    (#""name":[0,1,2]"#, #""name":[0,1,-9]"#, "element -9 of stringArray"),
    (#""resource":[0,0,-1]"#, #""resource":[0,8,-1]"#, "element 8 of resourceTable.name"),
    (#""line":[null,7,8]"#, #""line":[null]"#, "element 1 of frameTable.line"),
    (#""stackTable""#, #""stacks""#, "has no stackTable"),
    (#""weight":null"#, #""weight":[1]"#, "one weight for each sample"),
    (#""weight":null"#, #""weight":[1,-5,1,1]"#, "the weight -10000000"),
    (#""weightType":"samples""#, #""weightType":"euro""#, "weightType 'euro'"),
    (#""preprocessedProfileVersion":48"#, #""version":30"#, "profiler.firefox.com"),
    (#""stack":[2,1,null,2]"#, #""stack":[]"#, "no samples"),
  ])
  func `an impossible Firefox file is refused`(part: String, other: String, reason: String) {
    let error = ProfileImport.error(
      ImportFixtures.firefox.replacing(part, with: other), as: .firefox)
    #expect(error?.contains(reason) == true, "\(error as Any)")
  }

  @Test func `a newer version of Firefox's format has a warning, or is named by the error`() throws
  {
    let newer = ImportFixtures.firefox.replacing("Version\":48", with: "Version\":4711")
    let read = try ProfileImport(text: newer)
    #expect(read.profile.audit.warnings.map(\.code) == ["import.version"])
    let other = newer.replacing("\"samples\":{", with: "\"sampleTable\":{")
    let error = try #require(ProfileImport.error(other))
    #expect(error.contains("version is 4711, and this perfkit knows versions up to 70"), "\(error)")
  }

  @Test func `a Firefox file without an interval counts samples`() throws {
    let read = try ProfileImport(
      text: ImportFixtures.firefox.replacing(#""interval":2,"#, with: ""))
    #expect(read.profile.measure == .samples)
    #expect(read.profile.weights() == ["main: main;draw;blend": 2, "main: main;draw": 1])
  }
}
