import Foundation
import PerfModel
import Testing

@testable import PerfProfile

/// Debug information that several files share.
@Suite struct SharedDebugFileTests {
  private static let dwz = ["/usr/bin/dwz", "/usr/local/bin/dwz"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A folder that is removed after the test.
  private final class Folder {
    let path = NSTemporaryDirectory() + "perfkit-shared-\(UUID().uuidString)"

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func image(_ path: String) throws -> ElfImage {
    try ElfImage(path: path, memory: ImageMemory(path: path))
  }

  // MARK: - By dwz

  /// Builds two programs of the same sources, whose debug information dwz moves to a third file.
  private func programs(
    in folder: String
  ) throws -> (whole: TestProgram, path: String, shared: String) {
    let (whole, other) = ("shared-one", "shared-other")
    let programs = try [whole, other].map {
      // In version 5 clang writes tables that dwz does not know.
      try TestProgram.build(
        $0, ["sort.cpp", "capture.c"],
        flags: [
          "-gdwarf-4", "-O3", "-Wno-deprecated", "-lstdc++", "-lpthread", "-Wl,--build-id",
          "-Wl,--defsym=\($0 == whole ? "one" : "other")=0",
        ])
    }
    let paths = ["one", "other"].map { "\(folder)/\($0)" }
    for (program, path) in zip(programs, paths) {
      _ = try Tool(path: "/usr/bin/install", arguments: [program.path, path]).run("")
    }
    let shared = "\(folder)/common"
    let tool = Tool(
      path: try #require(Self.dwz), arguments: ["-m", shared, "-M", "common"] + paths)
    _ = try tool.run("")
    return (programs[0], paths[0], shared)
  }

  /// Returns the frames of every fourth address of a program.
  private func frames(_ path: String) throws -> (
    frames: [[StackFrame]], failure: PerfProfileError?
  ) {
    let image = try image(path)
    let file = try #require(try DwarfFile(image, symbols: ElfSymbols(image)))
    let text = try #require(image.sections().first { $0.name == ".text" }).section
    let addresses = stride(
      from: text.address, to: text.address + UInt64(text.bytes), by: 4)
    return (try addresses.map { try #require(file.frames(at: $0)) }, file.failure)
  }

  @Test(.enabled(if: dwz != nil, "there is no dwz here"))
  func `debug information moved by dwz gives the same frames`() throws {
    let folder = try Folder()
    let (whole, path, shared) = try programs(in: folder.path)
    let sections = try image(path).sections().map { $0.name }
    #expect(sections.contains(".gnu_debugaltlink"))
    let (wanted, found) = (try frames(whole.path), try frames(path))
    #expect(wanted.frames.contains { $0.count > 3 })
    #expect(found.frames == wanted.frames)
    #expect(found.failure == nil)
    // Without the shared file inlined functions have no names, and the failure names it.
    try FileManager.default.removeItem(atPath: shared)
    let (less, failure) = try frames(path)
    #expect(less != wanted.frames)
    #expect(
      failure?.description
        == "cannot read 'common': '\(path)' shares it with other files, but it is missing."
    )
  }

  @Test(.enabled(if: dwz != nil, "there is no dwz here"), arguments: [0, 64, 1000, 20_000])
  func `a missing shared file causes a warning and is read when it is back`(length: Int) throws {
    let folder = try Folder()
    let (whole, path, shared) = try programs(in: folder.path)
    let starts = ElfSymbols(try image(path)).starts
    let cache = SymbolCache.inMemory()
    func look(_ path: String, _ cache: SymbolCache?) throws -> (
      names: [UInt64: [SymbolFrame]], warnings: [String]
    ) {
      let images = ModuleImages()
      let module = images.index(
        of: LoadedModule(
          path: path, buildID: try image(path).buildID, bias: 0, low: 0, high: 1 << 20))
      let symbolizer = Symbolizer(images: images, tools: .found(), cache: cache)
      let named = symbolizer.symbolize(
        Set(starts.map { Symbolizer.Address(module: module, address: $0) }))
      return (
        Dictionary(uniqueKeysWithValues: named.map { ($0.key.address, $0.value) }),
        symbolizer.warnings.map(\.code)
      )
    }
    let wanted = try look(whole.path, nil)
    let all = try Data(contentsOf: URL(fileURLWithPath: shared))
    try all.prefix(length).write(to: URL(fileURLWithPath: shared))
    let less = try look(path, cache)
    #expect(less.warnings == ["symbols.debug_file"])
    #expect(less.names != wanted.names)
    #expect(Set(less.names.keys) == Set(wanted.names.keys))
    try all.write(to: URL(fileURLWithPath: shared))
    let more = try look(path, cache)
    #expect(more.warnings == [])
    #expect(more.names == wanted.names)
  }

  // MARK: - By hand

  /// Returns a file with a function whose name is in an entry of another file.
  private func handmade(in folder: String, target: UInt32) throws -> DwarfFile {
    let identity: [UInt8] = [1, 2, 3, 4]
    // The numbers of DWARF 5, tables 7.3, 7.5 and 7.6: a unit with an address and a size; a
    // function with the same and DW_AT_abstract_origin as DW_FORM_GNU_ref_alt, whose numbers need
    // two bytes and more; a function with a name.
    var kinds: [UInt8] = [1, 0x11, 1, 0x11, 0x01, 0x12, 0x07, 0, 0]
    kinds += [2, 0x2e, 0, 0x31, 0xa0, 0x3e, 0x11, 0x01, 0x12, 0x07, 0, 0]
    kinds += [3, 0x11, 1, 0, 0, 4, 0x2e, 0, 0x03, 0x08, 0, 0, 0]
    let place = little(UInt64(0x1000)) + little(UInt64(16))
    func unit(_ entries: [UInt8]) -> [UInt8] {
      // Version 4, the offset of the table and the size of an address.
      let body = little(UInt16(4)) + little(UInt32(0)) + [8] + entries
      return little(UInt32(body.count)) + body
    }
    // The function's entry follows the unit's header of 11 bytes and its entry of one.
    let shared = HandmadeFile(sections: [
      (name: ".debug_info", bytes: unit([3, 4] + Array("far\0".utf8) + [0])),
      (name: ".debug_abbrev", bytes: kinds),
      // The lengths of name and identity, NT_GNU_BUILD_ID, name and identity.
      (
        name: ".note.gnu.build-id",
        bytes: little(UInt32(4)) + little(UInt32(identity.count)) + little(UInt32(3))
          + Array("GNU\0".utf8) + identity
      ),
    ])
    try Data(shared.bytes()).write(to: URL(fileURLWithPath: "\(folder)/shared"))
    let entries: [UInt8] = [1] + place + [2] + little(target) + place + [0]
    let path = "\(folder)/own"
    let program = HandmadeFile(sections: [
      (name: ".debug_info", bytes: unit(entries)), (name: ".debug_abbrev", bytes: kinds),
      (name: ".gnu_debugaltlink", bytes: Array("\(folder)/shared\0".utf8) + identity),
    ])
    try Data(program.bytes()).write(to: URL(fileURLWithPath: path))
    let image = try image(path)
    return try #require(try DwarfFile(image, symbols: ElfSymbols(image)))
  }

  @Test func `an entry of the shared file gives a function its name`() throws {
    let folder = try Folder()
    let file = try handmade(in: folder.path, target: 12)
    #expect(file.frames(at: 0x1000)?.map(\.name) == ["far"])
    #expect(file.failure == nil)
  }

  @Test(arguments: [0, 11, 13, 1000, .max] as [UInt32])
  func `a reference to no entry gives no name`(target: UInt32) throws {
    let folder = try Folder()
    let file = try handmade(in: folder.path, target: target)
    #expect(file.frames(at: 0x1000)?.contains { $0.name == "far" } != true)
  }
}
