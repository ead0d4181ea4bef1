import Foundation
import Glibc
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfProfile

@Suite struct SymbolizerTests {
  private func capture(of program: TestProgram? = nil) throws -> Capture {
    let segment = try CaptureSegment(.small())
    let program = try program ?? TestProgram.stacks()
    return try program.run(["descend", "2"], in: segment).capture
  }

  /// A program with split debug information, which only llvm-symbolizer reads.
  private func splitDwarf() throws -> TestProgram {
    try TestProgram.build(
      "apart-stacks", ["stacks.c", "capture.c"], flags: ["-g", "-gsplit-dwarf", "-lpthread"])
  }

  @Test func `names have files and lines from the debug information`() throws {
    let profile = try ProfileBuilder.profile(of: capture())
    let leaf = try #require(profile.timeline[0]?.first.map { profile.nodes[$0.node] })
    let function = profile.functions[leaf.function]
    #expect(function.name == "leaf")
    #expect(function.module == "stacks")
    #expect(function.file?.hasSuffix("Programs/stacks.c") == true)
    #expect(leaf.line > 0)
    #expect(!profile.audit.warnings.contains { $0.code.hasPrefix("symbols.") })
  }

  @Test(arguments: [nil, "/nonexistent/llvm-symbolizer", "/bin/false", "/bin/true"])
  func `without a working llvm-symbolizer names come from symbol tables with a warning`(
    path: String?
  ) throws {
    let tools = ToolPaths(symbolizer: path, demangler: nil)
    let profile = try ProfileBuilder.profile(of: capture(of: splitDwarf()), tools: tools)
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(5) == ["leaf", "descend", "descend", "descend", "main"])
    let warning = try #require(
      profile.audit.warnings.first { $0.code == "symbols.fallback" })
    #expect(warning.remedy.contains("PERFKIT_LLVM_SYMBOLIZER"))
    if let path { #expect(warning.message.contains(path)) }
  }

  @Test func `split debug information gives the same names and lines`() throws {
    let plain = try ProfileBuilder.profile(of: capture())
    let split = try ProfileBuilder.profile(of: capture(of: splitDwarf()))
    let ownLines = { (profile: Profile) in
      profile.nodes.filter { profile.functions[$0.function].file?.hasSuffix("stacks.c") == true }
        .map { "\(profile.functions[$0.function].name) \($0.line)" }
    }
    #expect(ownLines(plain).count > 3)
    #expect(ownLines(plain) == ownLines(split))
  }

  @Test func `a damaged compressed section causes a warning and costs no names`() throws {
    let program = try TestProgram.build(
      "damaged-stacks", ["stacks.c", "capture.c"], flags: ["-g", "-gz=zlib", "-lpthread"])
    let whole = try image(program.path)
    let section = try #require(whole.sections().first { $0.name == ".debug_info" }).section
    var bytes = Array(whole.memory.bytes)
    // In the middle of the stream, after the header.
    for place in 0..<8 { bytes[section.offset + 24 + section.bytes / 2 + place - 12] ^= 0x55 }
    let folder = (program.path as NSString).deletingLastPathComponent
    let damaged = TestProgram(path: "\(folder)/damaged-copy")
    try Executable.write(bytes, to: damaged.path)
    let profile = try ProfileBuilder.profile(of: capture(of: damaged))
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(5) == ["leaf", "descend", "descend", "descend", "main"])
    let warning = try #require(
      profile.audit.warnings.first { $0.code == "symbols.debug_file" })
    #expect(warning.message.contains("\(damaged.path)': its debug information is damaged"))
  }

  @Test func `the debug file of another program is refused with its path`() throws {
    let folder = NSTemporaryDirectory() + "perfkit-other-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (split, debug) = try TestProgram.stacks().split(into: folder)
    let own = try #require(try DebugFile.open(for: image(split)))
    #expect(own.path == debug)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: debug))
    bytes.append(0)
    try bytes.write(to: URL(fileURLWithPath: debug))
    let error = #expect(throws: PerfProfileError.self) { try DebugFile.open(for: image(split)) }
    #expect(
      error?.description
        == "cannot read '\(debug)': it is not the debug file of '\(split)'.")
  }

  @Test func `a debug file is found in each place where debuggers look`() throws {
    let folder = NSTemporaryDirectory() + "perfkit-places-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: folder + "/bin", withIntermediateDirectories: true)
    let program = try TestProgram.build(
      "identified", ["stacks.c", "capture.c"],
      flags: ["-g", "-lpthread", "-Wl,--build-id=0x0123456789abcdef"])
    let (split, debug) = try program.split(into: folder + "/bin")
    let image = try image(split)
    // GDB's manual, "Debugging Information in Separate Files".
    let store = folder + "/debug"
    let places = [
      "\(store)/.build-id/01/23456789abcdef.debug", debug,
      "\(folder)/bin/.debug/split.debug", "\(store)\(folder)/bin/split.debug",
    ]
    let elsewhere = folder + "/elsewhere"
    try FileManager.default.moveItem(atPath: debug, toPath: elsewhere)
    #expect(try DebugFile.open(for: image, below: store) == nil)
    for place in places {
      try FileManager.default.createDirectory(
        atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try FileManager.default.moveItem(atPath: elsewhere, toPath: place)
      let found = try #require(try DebugFile.open(for: image, below: store), "\(place)")
      #expect(found.path == place)
      #expect(DebugFile.isWithin(found))
      try FileManager.default.moveItem(atPath: place, toPath: elsewhere)
    }
  }

  @Test func `functions without names are distinguished by their starts`() throws {
    let program = try TestProgram.build("stripped", ["stacks.c", "capture.c"], flags: ["-s"])
    let segment = try CaptureSegment(.small())
    let capture = try program.run(["descend", "2"], in: segment).capture
    let profile = try ProfileBuilder.profile(
      of: capture, tools: ToolPaths(symbolizer: nil, demangler: nil))
    let own = profile.functions.filter { $0.module == "stripped" }
    // `leaf`, `descend`, `main` and `_start`.
    #expect(own.count == 4)
    #expect(own.allSatisfy { $0.name.hasPrefix("stripped+0x") && $0.key == $0.name })
    #expect(profile.audit.complete == 1)
  }

  @Test func `a file that has changed since the measurement gives no names`() throws {
    var capture = try capture()
    capture.moduleLists = capture.moduleLists.map { list in
      ModuleList(
        time: list.time,
        modules: list.modules.map { module in
          LoadedModule(
            path: module.path,
            buildID: module.path.hasSuffix("libc.so.6") ? [1, 2] : module.buildID,
            bias: module.bias, low: module.low, high: module.high)
        })
    }
    let profile = try ProfileBuilder.profile(of: capture)
    #expect(profile.audit.warnings.contains { $0.code == "symbols.module_changed" })
    let names = try #require(profile.stacks().first)
    // The walk goes through the program and ends in the first frame of the C library.
    #expect(names.prefix(5) == ["leaf", "descend", "descend", "descend", "main"])
    #expect(names[5] == "libc.so.6 (no symbols)")
    #expect(names.last == "[no unwind information]")
  }

  @Test func `cached symbols are not looked up again`() throws {
    let cache = SymbolCache.inMemory()
    let capture = try capture(of: splitDwarf())
    _ = try ProfileBuilder.profile(of: capture, cache: cache)
    let none = ToolPaths(symbolizer: nil, demangler: nil)
    let profile = try ProfileBuilder.profile(of: capture, tools: none, cache: cache)
    // The tests' programs have no build id, so only symbols of the C library are cached.
    let known = profile.functions.filter { $0.module == "libc.so.6" }
    #expect(!known.isEmpty)
    #expect(known.allSatisfy { !$0.name.contains("no symbols") })
    #expect(profile.functions.contains { $0.name == "leaf" && $0.file == nil })
  }

  @Test func `code without a name is cached as such`() throws {
    let program = try TestProgram.build(
      "nameless", ["stacks.c", "capture.c"], flags: ["-s", "-Wl,--build-id"])
    let segment = try CaptureSegment(.small())
    let capture = try program.run(["descend", "2"], in: segment).capture
    let cache = SymbolCache.inMemory()
    _ = try ProfileBuilder.profile(of: capture, cache: cache)
    let none = ToolPaths(symbolizer: nil, demangler: nil)
    let profile = try ProfileBuilder.profile(of: capture, tools: none, cache: cache)
    #expect(profile.functions.contains { $0.name.hasPrefix("nameless+0x") })
    // Nothing was looked up, so the missing tool causes no warning.
    #expect(!profile.audit.warnings.contains { $0.code == "symbols.fallback" })
  }

  @Test func `a debug file that is installed later is read, and cached after its removal`()
    throws
  {
    let whole = try TestProgram.build(
      "installed", ["stacks.c", "capture.c"], flags: ["-g", "-lpthread", "-Wl,--build-id"])
    let folder = NSTemporaryDirectory() + "perf-installed-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (split, debug) = try whole.split(into: folder)
    let away = folder + "/away"
    let capture = try capture(of: TestProgram(path: split))
    let cache = SymbolCache.inMemory()
    func leaf() throws -> Profile.Function {
      let profile = try ProfileBuilder.profile(of: capture, cache: cache)
      return try #require(profile.functions.first { $0.name == "leaf" })
    }
    try FileManager.default.moveItem(atPath: debug, toPath: away)
    #expect(try leaf().file == nil)
    // An unreadable debug file is not remembered.
    try Data("no debug file".utf8).write(to: URL(fileURLWithPath: debug))
    #expect(try leaf().file == nil)
    try FileManager.default.removeItem(atPath: debug)
    try FileManager.default.moveItem(atPath: away, toPath: debug)
    #expect(try leaf().file?.hasSuffix("Programs/stacks.c") == true)
    try FileManager.default.removeItem(atPath: debug)
    #expect(try leaf().file?.hasSuffix("Programs/stacks.c") == true)
  }

  @Test func `a stripped program gets names once the whole file is back, and keeps them`()
    throws
  {
    let whole = try TestProgram.build(
      "whole", ["stacks.c", "capture.c"], flags: ["-g0", "-lpthread", "-Wl,--build-id"])
    let path = NSTemporaryDirectory() + "perfkit-whole-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    func put(_ option: String) throws {
      try? FileManager.default.removeItem(atPath: path)
      _ = try Tool(path: "/usr/bin/objcopy", arguments: [option, whole.path, path]).run("")
    }
    try put("--strip-all")
    let capture = try capture(of: TestProgram(path: path))
    let cache = SymbolCache.inMemory()
    func isNamed() throws -> Bool {
      let profile = try ProfileBuilder.profile(of: capture, cache: cache)
      return profile.functions.contains { $0.name == "leaf" }
    }
    #expect(try !isNamed())
    try put("--strip-debug")
    #expect(try isNamed())
    try put("--strip-all")
    #expect(try isNamed())
  }

  @Test(arguments: [["-g"], []])
  func `a function named only by the debug file's symbol table gets this name, also from the cache`(
    flags: [String]
  ) throws {
    let whole = try TestProgram.build(
      "tabled\(flags.count)", ["stacks.c", "capture.c"],
      flags: flags + ["-lpthread", "-Wl,--build-id"])
    let folder = NSTemporaryDirectory() + "perfkit-tabled-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (split, debug) = try whole.split(into: folder, "--strip-all")
    let starts = Set(ElfSymbols(try image(whole.path)).starts)
    func names(_ path: String, _ cache: SymbolCache?) throws -> [UInt64: [String]] {
      let id = try image(path).buildID
      let images = ModuleImages()
      let module = images.index(
        of: LoadedModule(path: path, buildID: id, bias: 0, low: 0, high: 1 << 20))
      let addresses = starts.map { Symbolizer.Address(module: module, address: $0) }
      let named = Symbolizer(images: images, tools: .found(), cache: cache)
        .symbolize(Set(addresses))
      return Dictionary(
        uniqueKeysWithValues: named.map { ($0.key.address, $0.value.map(\.name)) })
    }
    let wanted = try names(whole.path, nil)
    // A C function, and a function in assembly, which has no debug information.
    #expect(Set(wanted.values.flatMap { $0 }).isSuperset(of: ["leaf", "_start"]))
    let cache = SymbolCache.inMemory()
    #expect(try names(split, cache) == wanted)
    try FileManager.default.removeItem(atPath: debug)
    #expect(try names(split, cache) == wanted)
    #expect(try names(split, nil) != wanted)
  }

  @Test func `a function's own symbol takes precedence over the debug file's`() throws {
    let whole = try TestProgram.build(
      "aliases", ["aliases.c"], flags: ["-g", "-rdynamic", "-Wl,--build-id"])
    let folder = NSTemporaryDirectory() + "perfkit-aliases-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let split = try image(try whole.split(into: folder, "--strip-all").program)
    let images = ModuleImages()
    let module = images.index(
      of: LoadedModule(path: split.path, buildID: split.buildID, bias: 0, low: 0, high: 1 << 20))
    let addresses = ElfSymbols(split).starts.map {
      Symbolizer.Address(module: module, address: $0)
    }
    let names = Symbolizer(images: images, tools: .found(), cache: nil)
      .symbolize(Set(addresses)).values.flatMap { $0.map(\.name) }
    #expect(Set(names).isSuperset(of: ["exported", "inner", "main"]))
    #expect(!names.contains { $0.hasPrefix("__GI_") }, "\(names)")
  }

  private func image(_ path: String) throws -> ElfImage {
    try ElfImage(path: path, memory: ImageMemory(path: path))
  }
}
