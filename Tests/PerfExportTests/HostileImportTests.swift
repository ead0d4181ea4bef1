import PerfModel
import PerfTestSupport
import Testing

@testable import PerfExport

/// Files that are truncated, damaged or made to exhaust memory, time or the stack.
struct HostileImportTests {
  @Test(arguments: ImportFixtures.all.indices)
  func `a file that is truncated anywhere is refused or has fewer samples`(index: Int) throws {
    let (format, file) = ImportFixtures.all[index]
    let whole = try ProfileImport(file).profile.audit.samples
    for length in 0..<file.count {
      let cut = Array(file.prefix(length))
      for named in [nil, format] {
        // The first words of a sample of perf script are a collapsed stack.
        if let read = try? ProfileImport(cut, as: named), read.format == format {
          #expect(read.profile.audit.samples <= whole)
        }
      }
    }
  }

  @Test(arguments: ImportFixtures.all.indices)
  func `a file with any changed byte is refused or imported`(index: Int) {
    let (format, file) = ImportFixtures.all[index]
    for place in file.indices {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var changed = file
        changed[place] ^= change
        if let read = try? ProfileImport(changed, as: format) {
          #expect(read.profile.counts.allSatisfy { $0.weight.isFinite && $0.weight >= 0 })
          #expect(read.profile.counts.allSatisfy { read.profile.nodes.indices.contains($0.node) })
        }
      }
    }
  }

  @Test func `a file with several changes is refused or imported`() {
    Mutation.each(of: ImportFixtures.all.map { $0.file }, count: 1000, seed: 15) { file in
      for format in [nil] + ImportFixtures.all.map({ Optional($0.format) }) {
        guard let read = try? ProfileImport(file, as: format) else { continue }
        #expect(read.profile.counts.allSatisfy { $0.weight.isFinite && $0.weight >= 0 })
      }
    }
  }

  @Test(arguments: ImportFixtures.all.indices)
  func `a compressed file that is truncated anywhere is refused`(index: Int) throws {
    let file = Gzip.store(ImportFixtures.all[index].file)
    #expect(ProfileImport.error(file) == nil)
    // One byte of two is no gzip file.
    for length in 2..<file.count {
      #expect(ProfileImport.error(Array(file.prefix(length))) == .damagedCompression)
    }
    var changed = file
    changed[20] ^= 1
    #expect(ProfileImport.error(changed) == .damagedCompression)
    #expect(ProfileImport.error(file + [0, 0]) == nil)
    #expect(ProfileImport.error(file + [1]) == .damagedCompression)
  }

  /// A gzip file of one byte's repetitions, by the fixed codes of RFC 1951, 3.2.6.
  ///
  /// - Parameter blocks: The number of groups of eight copies, each of 258 bytes.
  /// - Returns: The file, whose check sum is wrong.
  private static func bomb(blocks: Int) -> [UInt8] {
    // The only block, of kind 1; the literal 144 is 110010000. With five of them the copies begin at a byte.
    let head = pack("110" + String(repeating: "110010000", count: 5))
    // The length code 285 is 11000101, the distance code 0 is 00000.
    let copies = pack(String(repeating: "1100010100000", count: 8))
    var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + head
    for _ in 0..<blocks { file += copies }
    // Code 256 ends the block. The check sum is wrong, which no reader notices before the content.
    return file + Array(repeating: 0, count: 9)
  }

  /// Returns bits as bytes, whose lowest bit is the first.
  private static func pack(_ bits: String) -> [UInt8] {
    let bits = bits.utf8.map { $0 - UInt8(ascii: "0") }
    return stride(from: 0, to: bits.count, by: 8).map { place in
      bits[place..<(place + 8)].reversed().reduce(0) { $0 << 1 | $1 }
    }
  }

  @Test func `a small file with a huge content is refused`() throws {
    // 8 x 258 x 70,000 bytes are more than the 128 MiB that pprof may have.
    let bomb = Self.bomb(blocks: 70_000)
    #expect(bomb.count < 1_000_000)
    #expect(ProfileImport.error(bomb, as: .pprof) == .tooLarge(limit: 128 << 20))
    // A smaller one is complete, but for its check sum.
    #expect(ProfileImport.error(Self.bomb(blocks: 10), as: .pprof) == .damagedCompression)
  }

  @Test func `a stack of a million frames is cut, with a warning`() throws {
    let names = String(repeating: "f;", count: 1_000_000)
    let read = try ProfileImport(text: names + "leaf 3\n")
    // 1,024 frames and the node that stands for all others.
    #expect(read.profile.nodes.count == 1025)
    let last = read.profile.functions[read.profile.nodes[1024].function]
    #expect(last.name == "[deeper frames]")
    #expect(read.profile.counts.map(\.node) == [1024])
    #expect(read.profile.audit.warnings.map(\.code) == ["import.deep"])
    #expect(read.profile.audit.warnings[0].message.contains("3 imported samples"))
  }

  @Test func `a chain of callers in each other format is cut as well`() throws {
    let deep = 5000
    let chain = (0..<deep).map(String.init).joined(separator: ",")
    let firefox = ImportFixtures.firefox
      .replacing(#""frame":[0,1,2]"#, with: "\"frame\":[\(chain.replacing(/\d+/, with: "0"))]")
      .replacing(
        #""prefix":[null,0,1]"#,
        with: "\"prefix\":[null,\((0..<(deep - 1)).map(String.init).joined(separator: ","))]"
      )
      .replacing(#""stack":[2,1,null,2]"#, with: "\"stack\":[\(deep - 1),\(deep - 2),null,1]")
    let zeros = Array(repeating: "0", count: deep).joined(separator: ",")
    let speedscope = ImportFixtures.speedscope.replacing("[[0,1]", with: "[[\(zeros)]")
    let frames = String(repeating: "\tabc f+0x1 (/a)\n", count: deep)
    for text in [firefox, speedscope, "app 7 1.25: 5 cycles: \n" + frames] {
      let read = try ProfileImport(text: text)
      #expect(read.profile.audit.warnings.map(\.code) == ["import.deep"])
      #expect(read.profile.nodes.count < 1100)
    }
  }

  @Test func `more call paths than a store should have are refused`() {
    // Each line has a stack of 1,000 frames that begins with a name of its own.
    let tail = String(repeating: ";f", count: 999)
    let text = (0...1000).map { "m\($0)\(tail) 1\n" }.joined()
    #expect(ProfileImport.error(text)?.contains("more than 1,000,000 different call paths") == true)
  }

  @Test func `deeply nested JSON is refused`() {
    let nested = String(repeating: "[", count: 1_000_000)
    for format in [ImportFormat.speedscope, .firefox] {
      #expect(
        ProfileImport.error("{\"meta\":" + nested, as: format)?.contains("no valid JSON") == true)
    }
  }

  @Test(arguments: [
    ("", "It is empty"), ("\n\n", "its format is unknown"), ("{}", "its format is unknown"),
    ("[1]", "its format is unknown"), ("hello world\n", "its format is unknown"),
    (#"{"traceEvents":[]}"#, "its format is unknown"),
    ("PERFILE2\u{1}\u{2}", "perf script -i FILE"),
    ("\u{7F}ELF\u{2}\u{1}", "protocol buffer is damaged"),
  ])
  func `a file of no known format is refused with the known ones`(text: String, reason: String)
    throws
  {
    let error = try #require(ProfileImport.error(text))
    #expect(error.contains(reason), "\(error)")
  }

  @Test func `parts of a file in messages cannot control a terminal`() throws {
    let texts = [
      "\u{1B}[31mred\n",
      "app 7 1.5: 3 cy\u{1B}[31mcles: \n\tabc f (/a)\napp 7 1.5: 3 x\u{7}y: \n\tabc f\n",
    ]
    #expect(ProfileImport.error(texts[0], as: .collapsed)?.contains("\u{1B}") == false)
    let read = try ProfileImport(text: texts[1], as: .perfScript)
    let words = read.profile.audit.warnings.map(\.description) + [read.profile.measure.name]
    #expect(
      words.count == 2 && !words.joined().contains("\u{1B}") && !words.joined().contains("\u{7}"))
  }

  @Test func `text that is no UTF-8 keeps its other characters`() throws {
    let read = try ProfileImport(Array("ma".utf8) + [0xFF, 0xC3] + Array("in 2\n".utf8))
    #expect(read.profile.functions.map(\.name) == ["ma\u{FFFD}\u{FFFD}in"])
    var json = Array(ImportFixtures.speedscope.utf8)
    let place = try #require(json.firstIndex(of: UInt8(ascii: "m")))
    json[place] = 0xFF
    #expect(ProfileImport.error(json, as: .speedscope) != nil)
  }
}
