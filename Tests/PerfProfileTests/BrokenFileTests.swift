import CUnwind
import Foundation
import Glibc
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Files that are cut off or contain wrong numbers, as the parent process reads them.
@Suite struct BrokenFileTests {
  /// How much of a file could be used.
  private struct Use {
    var opened = 0
    var names = 0
    var steps = 0
  }

  private func program() throws -> TestProgram {
    try TestProgram.build("rich", ["stacks.c", "capture.c"], flags: ["-g"])
  }

  private func bytes() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: program().path)))
  }

  /// Uses a file as the parent process does: headers, symbols and unwind information.
  private func use(_ path: String, _ random: inout SampleRandom, _ use: inout Use) throws {
    guard let memory = try? ImageMemory(path: path),
      let image = try? ElfImage(path: path, memory: memory)
    else { return }
    use.opened += 1
    _ = DebugFile.isAvailable(for: image)
    let symbols = ElfSymbols(image)
    use.names += symbols.starts.prefix(100).count { symbols.name(at: $0) != nil }
    let bias: UInt64 = 0x5555_0000_0000
    let module = LoadedModule(
      path: path, buildID: [], bias: bias, low: bias, high: bias + UInt64(memory.bytes.count))
    let images = ModuleImages()
    let map = ModuleMap(ModuleList(time: 0, modules: [module]), next: nil, images: images)
    let said = image.segments.filter {
      $0.isExecutable && $0.fileBytes > 0 && $0.address < 1 << 40 && $0.fileBytes < 1 << 40
    }
    let code =
      said.isEmpty
      ? [bias..<(bias + UInt64(memory.bytes.count))]
      : said.map { (bias + $0.address)..<(bias + $0.address + UInt64($0.fileBytes)) }
    let stack = RandomWalk.stack(code, &random)
    for usesRows in [true, false] {
      let space = try UnwindSpace(images: images, usesRows: usesRows)
      try space.setModules(map)
      for _ in 0..<20 {
        var registers = (0..<CUNWIND_REGISTER_COUNT).map { _ in
          RandomWalk.stackAddress + 8 * UInt64.random(in: 64..<256, using: &random)
        }
        registers[registers.count - 1] = UInt64.random(in: code[0], using: &random)
        use.steps += try RandomWalk(space, registers, stack).frames.count - 1
      }
      _ = space.describedFunction(at: UInt64.random(in: 0..<UInt64(memory.bytes.count)))
    }
  }

  private func use(_ files: [[UInt8]]) throws -> Use {
    let path = NSTemporaryDirectory() + "perfkit-broken-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var random = SampleRandom(seed: 11)
    var made = Use()
    for bytes in files {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      try use(path, &random, &made)
    }
    return made
  }

  @Test func `an intact file has names and unwind information`() throws {
    let made = try use([bytes()])
    #expect(made.opened == 1)
    #expect(made.names > 10)
    #expect(made.steps > 0)
  }

  @Test func `files that are cut off anywhere are read without a crash`() throws {
    let bytes = try bytes()
    var random = SampleRandom(seed: 3)
    let lengths =
      Array(0..<128) + (0..<150).map { _ in Int.random(in: 0..<bytes.count, using: &random) }
    let made = try use(lengths.map { Array(bytes[..<$0]) })
    // A file without its program headers cannot be opened.
    #expect(made.opened < lengths.count)
  }

  @Test func `a file that is truncated while it is mapped reads as zeros after its end`() throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let path = NSTemporaryDirectory() + "perfkit-cut-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: 7, count: 3 * page).write(to: URL(fileURLWithPath: path))
    let memory = try ImageMemory(path: path)
    let other = try ImageMemory(path: path)
    #expect(truncate(path, page) == 0)
    #expect(memory.bytes[page - 1] == 7)
    #expect(!memory.isCutOff)
    #expect(memory.bytes[page] == 0)
    #expect(memory.bytes[3 * page - 1] == 0)
    #expect(memory.isCutOff)
    #expect(!other.isCutOff)
  }

  @Test func `a section name that is longer than any known name is ignored`() throws {
    let name = String(repeating: "a", count: 1 << 16)
    var written: [(name: String, bytes: [UInt8])] = Array(
      repeating: (name: name, bytes: []), count: 1000)
    written.append((name: ".debug_str_offsets", bytes: [1]))
    let names = try HandmadeFile(sections: written).image().sections().map { $0.name }
    // Plus the null section and the section of names.
    #expect(names.count == 1003)
    #expect(names.filter { !$0.isEmpty } == [".debug_str_offsets"])
  }

  @Test func `a module whose path is a named pipe does not block the reader`() throws {
    let path = NSTemporaryDirectory() + "perfkit-pipe-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try #require(mkfifo(path, 0o600) == 0)
    let images = ModuleImages()
    _ = images.index(of: LoadedModule(path: path, buildID: [], bias: 0, low: 0, high: 1 << 20))
    #expect(images.warnings.map(\.code) == ["symbols.module_unreadable"])
  }

  @Test func `a module that is rebuilt during symbolication causes a warning`() throws {
    let copy = NSTemporaryDirectory() + "perfkit-rebuilt-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try Data(bytes()).write(to: URL(fileURLWithPath: copy))
    let images = ModuleImages()
    let module = images.index(
      of: LoadedModule(path: copy, buildID: [], bias: 0, low: 0, high: 1 << 20))
    #expect(images.warnings.isEmpty)
    #expect(truncate(copy, 4096) == 0)
    #expect(images.symbols(module)?.starts.isEmpty == true)
    #expect(images.warnings.map(\.code) == ["symbols.module_changed"])
  }

  @Test(arguments: 1...4)
  func `files with wrong numbers in their headers are read without a crash`(
    seed: UInt64
  ) throws {
    let bytes = try bytes()
    var random = SampleRandom(seed: seed)
    // The header, the program headers and the section headers at the end locate everything else.
    let regions = [0..<64, 64..<1024, (bytes.count - 2600)..<bytes.count, 0..<bytes.count]
    let wrong: [UInt64] = [0, 1, 0x7fff_ffff, 0xffff_ffff, .max, .max - 63, UInt64(bytes.count)]
    let files = (0..<100).map { _ in
      var broken = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let region = regions[Int.random(in: 0..<regions.count, using: &random)]
        let place = Int.random(in: region.lowerBound..<(region.upperBound - 8), using: &random)
        let number = wrong[Int.random(in: 0..<wrong.count, using: &random)]
        withUnsafeBytes(of: number) { broken.replaceSubrange(place..<(place + 8), with: $0) }
      }
      return broken
    }
    let made = try use(files)
    #expect(made.opened > 0)
    #expect(made.names > 0)
    #expect(made.steps > 0)
  }

  @Test(arguments: [0, 1, 63, 64, 1000, 5000, -1])
  func `a truncated debug file costs lines but no names`(length: Int) throws {
    let folder = NSTemporaryDirectory() + "perfkit-debug-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (split, debug) = try program().split(into: folder)
    let whole = try Data(contentsOf: URL(fileURLWithPath: debug))
    try whole.prefix(length < 0 ? whole.count - 1 : length).write(to: URL(fileURLWithPath: debug))
    let images = ModuleImages()
    let module = images.index(
      of: LoadedModule(path: split, buildID: [], bias: 0, low: 0, high: 1 << 20))
    let starts = try #require(images.symbols(module)).starts
    let symbolizer = Symbolizer(images: images, tools: .found(), cache: nil)
    let named = symbolizer.symbolize(
      Set(starts.map { Symbolizer.Address(module: module, address: $0) }))
    let names = Set(named.values.compactMap { $0.last?.name })
    #expect(names.isSuperset(of: ["leaf", "descend", "main"]))
  }
}
