import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Code that a program generated.
struct GeneratedCodeTests {
  private func function(_ low: UInt64, _ high: UInt64, _ name: String) -> GeneratedCode.Function {
    .init(low: low, high: high, name: name)
  }

  @Test func `a function is found by any address inside of it`() {
    let code = GeneratedCode([function(0x200, 0x280, "b"), function(0x100, 0x180, "a")])
    #expect(code.name(at: 0x100) == "a" && code.name(at: 0x17f) == "a")
    #expect(code.name(at: 0x180) == nil && code.name(at: 0xff) == nil)
    #expect(code.name(at: 0x27f) == "b")
    #expect(code.ranges == [0x100..<0x180, 0x200..<0x280])
  }

  @Test func `of functions at one address the later one counts`() {
    let code = GeneratedCode([
      function(0x100, 0x200, "old"), function(0x100, 0x180, "new"), function(0x140, 0x160, "inner"),
    ])
    #expect(code.name(at: 0x120) == "new")
    #expect(code.name(at: 0x150) == "inner")
    #expect(code.name(at: 0x170) == nil)
  }

  @Test func `memory without names is code, outside of modules`() {
    let code = GeneratedCode([function(0x100, 0x200, "a")], memory: [0x180..<0x300, 0x500..<0x600])
    #expect(code.ranges == [0x100..<0x300, 0x500..<0x600])
    #expect(
      code.ranges(outside: [0x0..<0x110, 0x120..<0x130, 0x2f0..<0x520])
        == [0x110..<0x120, 0x130..<0x2f0, 0x520..<0x600])
    #expect(code.ranges(outside: [0x0..<0x1000]).isEmpty)
    #expect(code.ranges(outside: []) == code.ranges)
  }

  /// Reads a map of this process, whose name no other program uses at the same time.
  private func read(_ text: String) throws -> [GeneratedCode.Function] {
    let path = "/tmp/perf-\(getpid()).map"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    return GeneratedCode.perfMap(of: getpid(), since: nil)
  }

  @Test func `a perf map has starts and lengths with or without 0x, and names with spaces`() throws
  {
    let functions = try read(
      """
      7f0010 20 LazyCompile:~scan app.js:1
      0x7f0040 0x10 second
      nonsense
      7f0050 zz name
      7f0060 0 empty
      ffffffffffffffff 10 beyond the end
      7f0070 8\u{20}
      7f0080 8 \u{1F4D6} café
      """)
    #expect(
      functions == [
        function(0x7f0010, 0x7f0030, "LazyCompile:~scan app.js:1"),
        function(0x7f0040, 0x7f0050, "second"),
        function(0x7f0080, 0x7f0088, "\u{1F4D6} café"),
      ])
    #expect(try read("").isEmpty)
    #expect(try read("7f0010 20 " + String(repeating: "n", count: 5000))[0].name.count == 1024)
  }

  @Test func `the map of an ended process is found by its root, its inner id and its owner`() throws
  {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder("tmp"), withIntermediateDirectories: true)
    let path = folder("tmp/perf-7.map")
    try Data("7f0010 20 scan".utf8).write(to: URL(fileURLWithPath: path))
    // The largest process id of Linux is 4,194,304.
    let ended: Int32 = 4_194_305
    let facts = ProcessFacts(root: folder.path, owner: 4242, innermostID: 7)
    let expected = [function(0x7f0010, 0x7f0030, "scan")]
    #expect(GeneratedCode.perfMap(of: ended, facts, since: nil) == expected)
    #expect(GeneratedCode.perfMap(of: ended, since: nil).isEmpty)
    // Only root may give a file away.
    guard chown(path, 4242, 4242) == 0 else { return }
    #expect(GeneratedCode.perfMap(of: ended, facts, since: nil) == expected)
    let unknown = ProcessFacts(root: folder.path, owner: nil, innermostID: 7)
    #expect(GeneratedCode.perfMap(of: ended, unknown, since: nil).isEmpty)
  }

  @Test func `files of others, pipes, huge and older files are no maps`() throws {
    let folder = try TemporaryFolder()
    let path = folder("perf-1.map")
    try Data("1 1 a".utf8).write(to: URL(fileURLWithPath: path))
    let now = Double(time(nil))
    #expect(GeneratedCode.isTrusted(path, owner: nil, since: now - 60))
    #expect(!GeneratedCode.isTrusted(path, owner: nil, since: now + 60))
    #expect(!GeneratedCode.isTrusted(folder("none"), owner: nil, since: nil))
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    #expect(!GeneratedCode.isTrusted(folder("pipe"), owner: nil, since: nil))
    // A file without blocks, whose only line would need all of the memory.
    try Data().write(to: URL(fileURLWithPath: folder("huge")))
    #expect(truncate(folder("huge"), GeneratedCode.mostBytes) == 0)
    #expect(GeneratedCode.isTrusted(folder("huge"), owner: nil, since: nil))
    #expect(truncate(folder("huge"), GeneratedCode.mostBytes + 1) == 0)
    #expect(!GeneratedCode.isTrusted(folder("huge"), owner: nil, since: nil))
    // Only root may give a file away.
    guard chown(path, 4242, 4242) == 0 else { return }
    #expect(!GeneratedCode.isTrusted(path, owner: 1234, since: nil))
    #expect(GeneratedCode.isTrusted(path, owner: 4242, since: nil))
  }
}

/// Files of JIT compilers (jitdump-specification.txt of Linux).
struct JITDumpTests {
  private func bytes<Value: FixedWidthInteger>(_ values: Value...) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
  }

  /// The header: magic, version, bytes, machine, padding, process, time, flags.
  private var header: [UInt8] {
    bytes(UInt32(0x4A69_5444), 1, 40, 62, 0, 7) + bytes(UInt64(1), 0)
  }

  /// A loaded function: process, thread, virtual address, address, size, number, name, code.
  private func load(_ low: UInt64, _ size: UInt64, number: UInt64, _ name: String) -> [UInt8] {
    let body =
      bytes(UInt32(7), 7) + bytes(low, low, size, number) + Array(name.utf8) + [0]
      + [UInt8](repeating: 0x90, count: Int(size))
    return bytes(UInt32(0), UInt32(16 + body.count)) + bytes(UInt64(1)) + body
  }

  /// A moved function: process, thread, virtual address, old and new address, size, number.
  private func move(to low: UInt64, _ size: UInt64, number: UInt64) -> [UInt8] {
    bytes(UInt32(1), 64) + bytes(UInt64(1)) + bytes(UInt32(7), 7)
      + bytes(low, 0x1000, low, size, number)
  }

  private func functions(_ file: [UInt8]) -> [GeneratedCode.Function] {
    file.withUnsafeBytes { JITDump.functions(in: ByteReader(bytes: $0)) }
  }

  @Test func `loaded and moved functions have their names`() {
    // A record of another kind, JIT_CODE_CLOSE, between them.
    let other = bytes(UInt32(3), 16) + bytes(UInt64(1))
    let file =
      header + load(0x1000, 16, number: 1, "scan") + other + move(to: 0x3000, 16, number: 1)
      + load(0x2000, 8, number: 2, "parse(int)")
    #expect(
      functions(file) == [
        .init(low: 0x1000, high: 0x1010, name: "scan"),
        .init(low: 0x3000, high: 0x3010, name: "scan"),
        .init(low: 0x2000, high: 0x2008, name: "parse(int)"),
      ])
  }

  @Test func `a damaged file has the functions before the damage`() {
    let whole = header + load(0x1000, 16, number: 1, "scan") + load(0x2000, 8, number: 2, "parse")
    for count in 0..<whole.count { #expect(functions(Array(whole[..<count])).count < 2) }
    #expect(functions(Array(whole.dropLast(8 + 6 + 8))).count == 1)
    #expect(functions([1, 2, 3]).isEmpty)
    // A record without a length must not be read for ever.
    #expect(functions(header + bytes(UInt32(0), 0) + bytes(UInt64(0))).isEmpty)
  }

  @Test func `the name of a file tells that it is one`() {
    #expect(JITDump.isName("/tmp/x/jit-4711.dump"))
    for path in ["/tmp/jit-.dump", "/tmp/jit-1a.dump", "/tmp/jit-1.dump2", "/tmp/git-1.dump"] {
      #expect(!JITDump.isName(path), "\(path)")
    }
  }
}
