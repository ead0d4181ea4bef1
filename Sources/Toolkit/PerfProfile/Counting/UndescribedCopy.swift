internal import Foundation
internal import Glibc

/// A copy of a program in which valgrind finds no debug information.
///
/// Valgrind 3.19 reads the debug information of every mapped file and stops at the DWARF 5 of
/// Swift's compiler. The copy differs from its file in the names of the debug sections alone, so
/// that all addresses and the build id are the same.
public struct UndescribedCopy: Sendable {
  /// The path of the program to launch: the copy, or the file itself if it needs no copy.
  public let path: String
  private let folder: String
  private let originals: String

  /// Copies a program into a folder if it has debug information.
  ///
  /// The folder gets links to the other files beside the program, which finds its libraries and
  /// resources there. Libraries with debug information are copied as well.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - folder: The folder of the copy, which is created.
  /// - Throws: A file error if the copy cannot be written.
  public init(of program: String, in folder: String) throws {
    let program = URL(fileURLWithPath: program).path
    originals = (program as NSString).deletingLastPathComponent
    guard let bytes = Self.withoutDescription(program) else {
      (path, self.folder) = (program, originals)
      return
    }
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Callgrind reports paths without symbolic links.
    let text = realpath(folder, nil)
    defer { free(text) }
    self.folder = text.map { String(cString: $0) } ?? folder
    let name = (program as NSString).lastPathComponent
    path = "\(self.folder)/\(name)"
    for other in try files.contentsOfDirectory(atPath: originals) where other != name {
      let file = "\(originals)/\(other)"
      if other.contains(".so"), let library = Self.withoutDescription(file) {
        try Self.write(library, to: "\(self.folder)/\(other)")
      } else {
        try files.createSymbolicLink(
          atPath: "\(self.folder)/\(other)", withDestinationPath: file)
      }
    }
    try Self.write(bytes, to: path)
  }

  /// Returns the path of the file of which a path is a copy, or the path itself.
  public func original(of path: String) -> String {
    path.hasPrefix(folder + "/") ? originals + path.dropFirst(folder.count) : path
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  /// Returns the bytes of a file with other names of its debug sections; nil if it has none or is
  /// no ELF file.
  static func withoutDescription(_ path: String) -> [UInt8]? {
    guard let memory = try? ImageMemory(path: path),
      let image = try? ElfImage(path: path, memory: memory)
    else { return nil }
    let sections = image.sections()
    // e_shstrndx, the index of the section with the names.
    let index = Int(ByteReader(bytes: memory.bytes).load(62, as: UInt16.self) ?? 0)
    guard sections.indices.contains(index), sections.contains(where: { isDebug($0.name) }) else {
      return nil
    }
    var bytes = Array(memory.bytes)
    let names = sections[index].section.range
    for place in names where bytes[place] == UInt8(ascii: ".") {
      let rest = String(decoding: bytes[place..<min(place + 16, names.upperBound)], as: UTF8.self)
      // The first letter changes: `.debug_info` becomes `.Debug_info`.
      if isDebug(rest) { bytes[place + 1] ^= 0x20 }
    }
    return bytes
  }

  private static func isDebug(_ name: String) -> Bool {
    [".debug_", ".zdebug_", ".gnu_debug"].contains(where: name.hasPrefix)
  }
}
