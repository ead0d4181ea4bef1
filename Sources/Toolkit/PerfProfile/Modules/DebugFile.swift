internal import CDeflate
internal import Glibc

/// The search for a file's debug information: in the file itself or in a separate debug file.
enum DebugFile {
  /// The folder in which packages install debug files.
  private static let folder = "/usr/lib/debug"
  private static let sections: Set = [".debug_info", ".zdebug_info", ".debug_line"]

  /// Returns whether an image contains debug information, or a debug file exists where debuggers look.
  static func isAvailable(for image: ElfImage) -> Bool {
    isWithin(image) || !paths(of: image, below: folder).isEmpty
  }

  /// Returns whether an image itself contains debug information.
  static func isWithin(_ image: ElfImage) -> Bool {
    image.sections().contains { sections.contains($0.name) && $0.section.bytes > 0 }
  }

  /// Returns whether an image itself contains compilation units.
  static func hasUnits(_ image: ElfImage) -> Bool {
    image.sections().contains { $0.name.hasSuffix("debug_info") && $0.section.bytes > 0 }
  }

  /// Returns the file with an image's debug information: the image or its debug file; nil if neither
  /// contains any.
  ///
  /// - Throws: `image` if the debug file cannot be read or belongs to another program.
  static func find(for image: ElfImage) throws(PerfProfileError) -> ElfImage? {
    if isWithin(image) { return image }
    guard let file = try open(for: image), isWithin(file) else { return nil }
    return file
  }

  /// Opens the debug file of an image.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - folder: The folder in which packages install debug files.
  /// - Returns: The first file that belongs to the image; nil if there is none.
  /// - Throws: `image` if no file belongs to the image and one cannot be read or belongs to another
  ///   program.
  static func open(
    for image: ElfImage, below folder: String = folder
  ) throws(PerfProfileError) -> ElfImage? {
    var failure: PerfProfileError?
    for path in paths(of: image, below: folder) {
      do throws(PerfProfileError) {
        let file = try ElfImage(path: path, memory: ImageMemory(path: path))
        if belongs(file, to: image) { return file }
        throw PerfProfileError.image(
          path: path, reason: "it is not the debug file of '\(image.path)'")
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return nil
  }

  private static func belongs(_ file: ElfImage, to image: ElfImage) -> Bool {
    if !image.buildID.isEmpty, !file.buildID.isEmpty { return file.buildID == image.buildID }
    return checksum(of: file) == link(of: image)?.checksum
  }

  /// Returns the existing candidates: by build id below `folder` and in debuginfod's cache, and by the
  /// name in `.gnu_debuglink` beside the image, in `.debug` beside it and in the image's folder below
  /// `folder`.
  private static func paths(of image: ElfImage, below folder: String) -> [String] {
    var paths: [String] = []
    if image.buildID.count > 1 {
      let name = hexadecimal(image.buildID)
      paths.append("\(folder)/.build-id/\(name.prefix(2))/\(name.dropFirst(2)).debug")
      if let cache = DebugFileServers.cache { paths.append("\(cache)/\(name)/debuginfo") }
    }
    if let name = link(of: image)?.name {
      let place = image.path.lastIndex(of: "/").map { image.path[..<$0] } ?? ""
      paths += ["\(place)/\(name)", "\(place)/.debug/\(name)", "\(folder)\(place)/\(name)"]
    }
    return paths.filter { $0 != image.path && access($0, R_OK) == 0 }
  }

  /// Reads `.gnu_debuglink`: the name, then at a multiple of 4 the CRC-32 of the debug file.
  private static func link(of image: ElfImage) -> (name: String, checksum: UInt32)? {
    let reader = ByteReader(bytes: image.memory.bytes)
    guard let link = image.sections().first(where: { $0.name == ".gnu_debuglink" })?.section,
      let name = reader.text(link.offset), !name.isEmpty,
      let checksum = reader.load(
        link.offset + (name.utf8.count + 4) / 4 * 4, as: UInt32.self)
    else { return nil }
    return (name, UInt32(littleEndian: checksum))
  }

  private static func checksum(of file: ElfImage) -> UInt32 {
    libdeflate_crc32(0, file.memory.bytes.baseAddress, file.memory.bytes.count)
  }
}
