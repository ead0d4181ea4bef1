internal import Glibc

/// Where the debug information is that several files have in common: dwz(1) puts it into a file of its own,
/// and all packages of Debian and Fedora are made so.
enum SharedDebugFile {
  /// What a file says of the one that it shares with others.
  private struct Link {
    let name: String
    /// By which that is known: its build id, or a checksum.
    let identity: [UInt8]
    /// Whether both say so in `.debug_sup` (DWARF 5, 7.3.6), or this one in `.gnu_debugaltlink`.
    let isStandard: Bool
  }

  /// Opens the file that a debug file shares with others; nil when it names none.
  ///
  /// - Parameters:
  ///   - file: The debug file.
  ///   - folder: Where packages put debug files.
  /// - Returns: The first one with the name or the build id that it says, whose identity is the same.
  /// - Throws: `image` when there is none, it cannot be read, or is another one.
  static func open(
    for file: ElfImage, below folder: String = DebugFile.folder
  ) throws(PerfProfileError) -> ElfImage? {
    guard let link = link(of: file) else { return nil }
    var failure: PerfProfileError?
    for path in paths(link, of: file, below: folder) where access(path, R_OK) == 0 {
      do throws(PerfProfileError) {
        let found = try ElfImage(path: path, memory: ImageMemory(path: path))
        let identity = link.isStandard ? supplement(found)?.identity : noteBuildID(of: found)
        if identity == link.identity { return found }
        throw PerfProfileError.image(
          path: path, reason: "it is not the one that '\(file.path)' shares with other files")
      } catch {
        failure = failure ?? error
      }
    }
    throw failure
      ?? .image(
        path: link.name, reason: "'\(file.path)' shares it with other files, and it is not there")
  }

  /// Returns the places of the file: its name, in the folder of this one unless it has its own; where
  /// packages put such files, below `.dwz`; and where its build id leads to.
  private static func paths(_ link: Link, of file: ElfImage, below folder: String) -> [String] {
    let name = link.name
    var paths = [name.hasPrefix("/") ? name : "\(place(of: file.path))/\(name)"]
    let known = name.firstRange(of: "/.dwz/").map { name[$0.upperBound...] }
    let last = name.split(separator: "/").last ?? ""
    paths += [known, last].compactMap { $0.map { "\(folder)/.dwz/\($0)" } }
    return paths + (DebugFile.path(buildID: link.identity, below: folder).map { [$0] } ?? [])
  }

  /// The folder of a file, or of what it is a link to.
  private static func place(of path: String) -> Substring {
    let text = realpath(path, nil)
    defer { free(text) }
    let path = text.map { String(cString: $0) } ?? path
    return path.lastIndex(of: "/").map { path[..<$0] } ?? "."
  }

  private static func link(of file: ElfImage) -> Link? {
    let reader = ByteReader(bytes: file.memory.bytes)
    guard
      let section = file.sections().first(where: { $0.name == ".gnu_debugaltlink" })?.section
    else {
      return supplement(file).flatMap {
        $0.isShared || $0.name.isEmpty || $0.identity.isEmpty
          ? nil : Link(name: $0.name, identity: $0.identity, isStandard: true)
      }
    }
    guard let name = reader.text(section.offset, shorterThan: section.bytes), !name.isEmpty,
      let identity = reader.slice(
        section.offset + name.utf8.count + 1, section.bytes - name.utf8.count - 1)
    else { return nil }
    return Link(name: name, identity: Array(identity), isStandard: false)
  }

  /// Reads `.debug_sup`: a version, whether this is the shared file, its name if not, and a checksum.
  private static func supplement(
    _ file: ElfImage
  ) -> (isShared: Bool, name: String, identity: [UInt8])? {
    let reader = ByteReader(bytes: file.memory.bytes)
    guard let section = file.sections().first(where: { $0.name == ".debug_sup" })?.section,
      let isShared = reader.load(section.offset + 2, as: UInt8.self),
      let name = reader.text(section.offset + 3, shorterThan: section.bytes)
    else { return nil }
    var offset = section.offset + 3 + name.utf8.count + 1
    guard let count = reader.unsignedLEB(&offset).flatMap({ Int(exactly: $0) }),
      let identity = reader.slice(offset, count)
    else { return nil }
    return (isShared != 0, name, Array(identity))
  }

  /// The build id of a file that is never loaded, and so has no program headers.
  private static func noteBuildID(of file: ElfImage) -> [UInt8]? {
    if !file.buildID.isEmpty { return file.buildID }
    let section = file.sections().first { $0.name == ".note.gnu.build-id" }?.section
    return section.map { ElfImage.buildID(ByteReader(bytes: file.memory.bytes), $0.range) }
  }
}
