@testable import PerfExport

/// A small file of each format, written by hand.
enum ImportFixtures {
  static let collapsed = """
    main;draw;blend 3
    main;draw;memcpy_[k] 2
    main 1

    """

  static let perfScript = """
    # ========
    App Main   305/305   100.000001: 250000 cpu-clock:pppH: 
    \t    7f01 std::copy(char*, char (&) [4])+0x10 (/usr/lib/libApp.so.1)
    \t    7f02 draw (inlined)
    \t    7f02 main+0x2f (/opt/App)

    App Main   305/305   100.001001: 500000 cpu-clock:pppH: 
    \tffffffff816e8ec5 file_close_fd+0x5 ([kernel.kallsyms])
    \t    7f09 [unknown] (/opt/App)
    \t    7f02 main+0x2f (/opt/App)

    worker 1   305/306 [001]   100.000501: 250000 cpu-clock:pppH: 
    \t    7f02 run()+0x1 (/tmp/perf-305.map)


    """

  static let speedscope = """
    {"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"x","name":"n",
     "activeProfileIndex":0,
     "shared":{"frames":[{"name":"main","file":"main.py","line":1},{"name":"draw"},{"name":"blend"}]},
     "profiles":[
       {"type":"sampled","name":"t1","unit":"milliseconds","startValue":0,"endValue":7,
        "samples":[[0,1],[0,1,2],[0,1],[]],"weights":[1,2,4,100]},
       {"type":"evented","name":"t2","unit":"milliseconds","startValue":10,"endValue":20,
        "events":[{"type":"O","frame":0,"at":10},{"type":"O","frame":1,"at":12},
                  {"type":"C","frame":1,"at":15},{"type":"C","frame":0,"at":16},
                  {"type":"O","frame":2,"at":18}]}]}
    """

  /// A file of version 48, with tables in its thread.
  static let firefox = """
    {"meta":{"interval":2,"preprocessedProfileVersion":48},"libs":[],
     "threads":[{"name":"main","pid":"1","tid":1,
       "samples":{"stack":[2,1,null,2],"time":[100,102,104,106],"weight":null,
                  "weightType":"samples","length":4},
       "stackTable":{"frame":[0,1,2],"prefix":[null,0,1],"length":3},
       "frameTable":{"func":[0,1,2],"line":[null,7,8],"inlineDepth":[0,0,1],"length":3},
       "funcTable":{"name":[0,1,2],"resource":[0,0,-1],"fileName":[null,3,null],"length":3},
       "resourceTable":{"name":[4],"length":1},
       "stringArray":["main","draw","blend","draw.c","App"]}]}
    """

  /// The profile of `firefox` in version 58, with shared tables.
  static let sharedFirefox = """
    {"meta":{"interval":2,"preprocessedProfileVersion":58},"libs":[],
     "shared":{
       "stackTable":{"frame":[0,1,2],"prefix":[null,0,1],"length":3},
       "frameTable":{"func":[0,1,2],"line":[null,7,8],"inlineDepth":[0,0,1],"length":3},
       "funcTable":{"name":[0,1,2],"resource":[0,0,-1],"source":[null,0,null],"length":3},
       "resourceTable":{"name":[4],"length":1},"sources":{"filename":[3],"length":1},
       "stringArray":["main","draw","blend","draw.c","App"]},
     "threads":[{"name":"main","samples":{"stack":[2,1,null,2],"timeDeltas":[100,2,2,2],
                  "weightType":"samples","length":4}}]}
    """

  /// A profile of Go's kind: two values, a period of 10 ms, and an inlined function.
  static let pprof: [UInt8] = {
    var file = PprofWriter([
      "", "samples", "count", "cpu", "nanoseconds", "main", "draw", "blend",
      "draw.go", "/opt/App", "thread", "ui",
    ])
    file.message(1) { $0.numbers([1: 1, 2: 2]) }
    file.message(1) { $0.numbers([1: 3, 2: 4]) }
    // Stacks are innermost first: draw with blend inlined, then main.
    file.message(2) { sample in
      sample.packed(1, [2, 1])
      sample.packed(2, [3, 30_000_000])
      sample.message(3) { $0.numbers([1: 10, 2: 11]) }
    }
    file.message(2) { sample in
      sample.packed(1, [1])
      sample.packed(2, [1, 10_000_000])
    }
    file.message(3) { $0.numbers([1: 1, 5: 9]) }
    file.message(4) { location in
      location.numbers([1: 1, 2: 1])
      location.message(4) { $0.numbers([1: 1, 2: 5]) }
    }
    file.message(4) { location in
      location.numbers([1: 2, 2: 1])
      location.message(4) { $0.numbers([1: 3, 2: 12]) }
      location.message(4) { $0.numbers([1: 2, 2: 9]) }
    }
    for (id, name) in [(1, 5), (2, 6), (3, 7)] {
      file.message(5) { $0.numbers([1: id, 2: name, 4: 8]) }
    }
    file.message(11) { $0.numbers([1: 3, 2: 4]) }
    file.numbers([10: 2_000_000_000, 12: 10_000_000])
    return file.bytes
  }()

  static let all: [(format: ImportFormat, file: [UInt8])] = [
    (.collapsed, Array(collapsed.utf8)), (.perfScript, Array(perfScript.utf8)),
    (.speedscope, Array(speedscope.utf8)), (.firefox, Array(firefox.utf8)),
    (.firefox, Array(sharedFirefox.utf8)), (.pprof, pprof),
  ]
}

/// Writes protocol buffers by the wire format's definition.
struct PprofWriter {
  private(set) var bytes: [UInt8] = []

  /// Begins a profile with its texts.
  init(_ texts: [String] = []) {
    for text in texts { field(6, Array(text.utf8)) }
  }

  /// Writes numbers by their fields.
  mutating func numbers(_ values: [Int: Int]) {
    for (field, value) in values.sorted(by: { $0.key < $1.key }) {
      varint(UInt64(field) << 3)
      varint(UInt64(bitPattern: Int64(value)))
    }
  }

  mutating func packed(_ number: Int, _ values: [Int]) {
    var content = PprofWriter()
    for value in values { content.varint(UInt64(bitPattern: Int64(value))) }
    field(number, content.bytes)
  }

  mutating func message(_ number: Int, _ write: (inout PprofWriter) -> Void) {
    var content = PprofWriter()
    write(&content)
    field(number, content.bytes)
  }

  private mutating func field(_ number: Int, _ content: [UInt8]) {
    varint(UInt64(number) << 3 | 2)
    varint(UInt64(content.count))
    bytes += content
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
