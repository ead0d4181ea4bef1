import Foundation
import Testing

@testable import PerfProfile

/// `DwarfFile` in comparison with llvm-symbolizer.
@Suite struct DwarfTests {
  private func image(_ path: String) throws -> ElfImage {
    try ElfImage(path: path, memory: ImageMemory(path: path))
  }

  /// Returns every fourth address of a program's functions.
  private func addresses(_ image: ElfImage) -> [UInt64] {
    image.sections().filter { $0.name == ".text" }.flatMap { _, section in
      stride(from: section.address, to: section.address + UInt64(section.bytes), by: 4)
    }
  }

  @Test(arguments: ["-gdwarf-3", "-gdwarf-4", "-gdwarf-5"], ["-O0", "-O3"])
  func `every address has the frames that llvm-symbolizer finds`(
    version: String, optimisation: String
  ) throws {
    // Sorting with a closure inlines much of the C++ library.
    let program = try TestProgram.build(
      "dwarf\(version)\(optimisation)", ["sort.cpp", "capture.c"],
      flags: [version, optimisation, "-Wno-deprecated", "-lstdc++", "-lpthread"])
    let ours = try compare(program)
    #expect(ours.contains { $0.count > (optimisation == "-O3" ? 3 : 0) })
    #expect(ours.contains { $0.contains { $0.file?.hasSuffix("Programs/sort.cpp") == true } })
  }

  @Test(arguments: ["-gdwarf-4", "-gdwarf-5"])
  func `paths equal llvm-symbolizer's if the compilation folder is relative`(
    version: String
  ) throws {
    let sources = #filePath.replacing("DwarfTests.swift", with: "Programs")
    let program = try TestProgram.build(
      "moved\(version)", ["sort.cpp", "capture.c"],
      flags: [
        version, "-fdebug-compilation-dir=./books", "-fdebug-prefix-map=\(sources)/=",
        "-Wno-deprecated", "-lstdc++", "-lpthread",
      ])
    let ours = try compare(program)
    #expect(ours.contains { $0.contains { $0.file == "./books/sort.cpp" } })
  }

  /// Compares the frames of each address with llvm-symbolizer's, and returns them.
  private func compare(_ program: TestProgram) throws -> [[StackFrame]] {
    let image = try image(program.path)
    let file = try #require(try DwarfFile(image, symbols: ElfSymbols(image)))
    let addresses = addresses(image)
    let tool = LLVMSymbolizer(path: try #require(ToolPaths.found().symbolizer))
    let theirs = try tool.symbolize(
      addresses.map { LLVMSymbolizer.Request(path: program.path, address: $0) }, processes: 1)
    // llvm-symbolizer demangles C++ names.
    let ours = try addresses.map { try #require(file.frames(at: $0)) }
    let none = ToolPaths(symbolizer: nil, demangler: nil)
    let plain = Demangler(tools: none).demangle(Set(ours.flatMap { $0.map(\.name) }))
    for (address, (own, other)) in zip(addresses, zip(ours, theirs)) {
      let names = own.map { plain[$0.name] ?? $0.name }
      #expect(names == other.map(\.name), "\(String(address, radix: 16))")
      #expect(own.map(\.line) == other.map(\.line), "\(String(address, radix: 16))")
      // For assembly without lines llvm-symbolizer takes the file from the symbol table.
      #expect(own.allSatisfy { $0.line == 0 } || own.map(\.file) == other.map(\.file))
    }
    return ours
  }

  @Test func `compressed and separate debug information give the same frames`() throws {
    let sources = ["sort.cpp", "capture.c"]
    let flags = ["-g", "-O3", "-Wno-deprecated", "-lstdc++", "-lpthread"]
    let plain = try TestProgram.build("plain-sort", sources, flags: flags)
    let zipped = try TestProgram.build("zipped-sort", sources, flags: flags + ["-gz=zlib"])
    let folder = NSTemporaryDirectory() + "perfkit-split-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (split, _) = try zipped.split(into: folder)
    #expect(try image(zipped.path).sections().contains { $0.section.isCompressed })
    #expect(try !DebugFile.isWithin(image(split)))
    let addresses = addresses(try image(plain.path))
    let frames = try [plain.path, zipped.path, split].map { path in
      let image = try image(path)
      let file = try #require(try DwarfFile(image, symbols: ElfSymbols(image)))
      return try addresses.map { try #require(file.frames(at: $0)) }
    }
    #expect(frames[0].contains { $0.count > 3 })
    #expect(frames[0] == frames[1])
    #expect(frames[0] == frames[2])
  }

  /// Programs with unwind information, which separates functions, and without.
  @Test(arguments: [[], ["-fno-asynchronous-unwind-tables"]])
  func `a symbol without a size does not name the function after it`(flags: [String]) throws {
    let program = try TestProgram.build(
      "sizeless\(flags.count)", ["sizeless.c"], flags: ["-g", "-rdynamic"] + flags)
    let known = ElfSymbols(try image(program.path))
    let hidden = try #require(known.starts.first { known.name(at: $0) == "hidden" })
    let before = try #require(known.starts.last { $0 < hidden })
    #expect(known.name(at: before) == "sizeless")
    let folder = NSTemporaryDirectory() + "perfkit-sizeless-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // Now only debug information names the function.
    let unnamed = "\(folder)/unnamed"
    _ = try Tool(
      path: "/usr/bin/objcopy", arguments: ["--strip-symbol=hidden", program.path, unnamed]
    ).run("")
    let image = try image(unnamed)
    let file = try #require(try DwarfFile(image, symbols: ElfSymbols(image)))
    #expect(file.frames(at: hidden)?.map(\.name) == ["hidden"])
    #expect(file.frames(at: before)?.map(\.name) == ["sizeless"])
    // Without debug information only unwind information separates the functions.
    let symbols = ElfSymbols(image)
    let isDescribed = flags.isEmpty
    #expect(symbols.name(at: hidden) == (isDescribed ? nil : "sizeless"))
    #expect(symbols.start(at: hidden) == (isDescribed ? nil : before))
    #expect(symbols.name(at: before + 1) == "sizeless")
  }

  @Test func `split debug information is left to llvm-symbolizer`() throws {
    let plain = try TestProgram.build("plain", ["nothing.c"], flags: ["-g"])
    let wide = try TestProgram.build("wide", ["nothing.c"], flags: ["-gdwarf-5", "-gdwarf64"])
    let split = try TestProgram.build("apart", ["nothing.c"], flags: ["-g", "-gsplit-dwarf"])
    let poor = try TestProgram.build("without", ["nothing.c"], flags: ["-g0"])
    for (program, isRead) in [(plain, true), (wide, true), (split, false), (poor, false)] {
      let image = try image(program.path)
      #expect((try DwarfFile(image, symbols: ElfSymbols(image)) != nil) == isRead)
    }
  }

  @Test func `debug information is detected in the file and in a debug file`() throws {
    let rich = try TestProgram.build("rich", ["stacks.c", "capture.c"], flags: ["-g"])
    let poor = try TestProgram.build("poor", ["stacks.c", "capture.c"], flags: ["-g0"])
    #expect(DebugFile.isAvailable(for: try image(rich.path)))
    #expect(!DebugFile.isAvailable(for: try image(poor.path)))
    let folder = (rich.path as NSString).deletingLastPathComponent
    let (split, debug) = try rich.split(into: folder)
    #expect(DebugFile.isAvailable(for: try image(split)))
    try FileManager.default.removeItem(atPath: debug)
    #expect(!DebugFile.isAvailable(for: try image(split)))
  }
}
