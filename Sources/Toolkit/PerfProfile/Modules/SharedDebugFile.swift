internal import Glibc

/// The search for debug information that several files share.
///
/// dwz(1) moves it into a separate file; all debug packages of Debian and Fedora use it.
enum SharedDebugFile {
  /// A debug file's reference to the shared file.
  private struct Link {
    let name: String
    /// The build id or checksum of the shared file.
    let identity: [UInt8]
    /// Whether the reference is in `.debug_sup` (DWARF 5, 7.3.6) rather than in `.gnu_debugaltlink`.
    let isStandard: Bool
  }

  /// Opens the file that a debug file shares with other files.
  ///
  /// - Parameters:
  ///   - file: The debug file.
  ///   - folder: The folder in which packages install debug files.
  /// - Returns: The first file with the right identity; nil if the debug file refers to none.
  /// - Throws: `image` if the shared file is missing, cannot be read or is another one.
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
          path: path, reason: "it is not the file that '\(file.path)' shares with other files")
      } catch {
        failure = failure ?? error
      }
    }
    throw failure
      ?? .image(
        path: link.name, reason: "'\(file.path)' shares it with other files, but it is missing")
  }

  /// Returns the candidates: the name, relative to the debug file's folder; the name below `.dwz` in
  /// `folder`; and the path of the build id.
  private static func paths(_ link: Link, of file: ElfImage, below folder: String) -> [String] {
    let name = link.name
    var paths = [name.hasPrefix("/") ? name : "\(place(of: file.path))/\(name)"]
    let known = name.firstRange(of: "/.dwz/").map { name[$0.upperBound...] }
    let last = name.split(separator: "/").last ?? ""
    paths += [known, last].compactMap { $0.map { "\(folder)/.dwz/\($0)" } }
    return paths + (DebugFile.path(buildID: link.identity, below: folder).map { [$0] } ?? [])
  }

  /// Returns the folder of a file after following symbolic links.
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

  /// Reads `.debug_sup`: a version, whether this is the shared file, the name of the shared file and a
  /// checksum.
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

  /// Returns the build id of a file that may have no program headers because it is never loaded.
  private static func noteBuildID(of file: ElfImage) -> [UInt8]? {
    if !file.buildID.isEmpty { return file.buildID }
    let section = file.sections().first { $0.name == ".note.gnu.build-id" }?.section
    return section.map { ElfImage.buildID(ByteReader(bytes: file.memory.bytes), $0.range) }
  }
}
