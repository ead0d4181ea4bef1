internal import CoverCache
internal import CoverPalette
internal import Foundation

/// The first pictures of a user's folder that can be decoded, with the colours of all their pixels.
struct FolderPictures {
  /// A picture in the state in which its colours were counted.
  private struct File: Codable {
    let name: String
    let state: FileState
  }

  /// The numbers of entries that are not used, by reason.
  private struct Skipped {
    var noFiles = 0
    var tooLarge = 0
    var undecodable = 0
    var reason: String?
  }

  /// The largest number of entries that are tried.
  static let mostEntries = 2_000
  /// The largest file, in bytes; a JPEG of 100 megapixels has less than 100 MB.
  private static let largest = 200_000_000

  private let folder: String
  private let count: Int
  private let cache: String

  /// Computes the paths of up to `count` pictures without accessing files.
  init(folder: String, count: Int, cache: String) {
    let path = URL(fileURLWithPath: folder).standardizedFileURL.path
    self.folder = path
    self.count = count
    self.cache = "\(cache)/palettes-folder-v1-\(checksum(of: path.utf8))"
  }

  /// Decodes pictures until there are enough, and counts the colours of each new one.
  ///
  /// At most ``mostEntries`` entries are tried, in alphabetic order. Only regular files are opened.
  ///
  /// - Returns: The paths of the pictures.
  func prepare(_ report: DatasetReport) throws(DatasetError) -> [String] {
    let entries = try FolderEntries(of: folder, limit: Self.mostEntries, parameter: "folder")
    guard entries.count > 0 else { throw .noCovers(path: folder, parameter: "folder") }
    try makeFolder(cache)
    var files: [File] = []
    var skipped = Skipped()
    var tried = 0
    for name in entries.names where files.count < count {
      tried += 1
      guard let state = fileState(at: "\(folder)/\(name)") else {
        skipped.noFiles += 1
        continue
      }
      guard state.bytes <= Self.largest else {
        skipped.tooLarge += 1
        continue
      }
      let file = File(name: name, state: state)
      if let reason = try countColours(of: file) {
        skipped.undecodable += 1
        skipped.reason = skipped.reason ?? reason
      } else {
        files.append(file)
        report.progress("pictures", files.count, min(count, entries.count))
      }
    }
    guard !files.isEmpty else {
      throw .noUsableCovers(
        path: folder, skipped: tried, firstReason: skipped.reason ?? "it is not a regular file")
    }
    try writeWhole([UInt8]((try? JSONEncoder().encode(files)) ?? Data()), to: index)
    warn(report, entries, skipped, tried: tried, used: files.count)
    return files.map { "\(folder)/\($0.name)" }
  }

  private func warn(
    _ report: DatasetReport, _ entries: FolderEntries, _ skipped: Skipped, tried: Int, used: Int
  ) {
    let reason = skipped.reason.map { " (the first one: \($0))" } ?? ""
    let counts = [
      (skipped.noFiles, "*.jpg entries are not regular files"),
      (skipped.tooLarge, "files have more than \(Self.largest / 1_000_000) MB"),
      (skipped.undecodable, "files cannot be decoded\(reason)"),
      (entries.others, "entries have other names than *.jpg and *.jpeg"),
      (entries.count - tried, "*.jpg entries come after the first \(used) pictures"),
    ]
    if counts.contains(where: { $0.0 > 0 }) {
      report.warn(.leftOutPictures(counts.map { (count: $0.0, what: $0.1) }, in: folder))
    }
    if used < count { report.warn(.fewerPictures(used, wanted: count)) }
  }

  /// Reads the pictures that setup has found.
  func load() throws -> [PaletteCovers.Cover] {
    let files = try JSONDecoder().decode(
      [File].self, from: Data(contentsOf: URL(fileURLWithPath: index)))
    let source = FileCoverSource(directory: folder)
    return try files.map { file in
      guard fileState(at: "\(folder)/\(file.name)") == file.state else {
        throw DatasetError.cache(
          path: "\(folder)/\(file.name)", reason: "it has changed since the setup of the run")
      }
      return try PaletteCovers.Cover(
        name: file.name, bytes: source.encodedCover(for: file.name),
        colours: ColorReference(contentsOf: reference(of: file)))
    }
  }

  /// Counts the colours of a picture unless they are known.
  ///
  /// - Returns: The reason why the picture cannot be decoded, or nil.
  private func countColours(of file: File) throws(DatasetError) -> String? {
    if (try? ColorReference(contentsOf: reference(of: file))) != nil { return nil }
    let colours: ColorReference
    do throws(CoverError) {
      let bytes = try FileCoverSource(directory: folder).encodedCover(for: file.name)
      colours = ColorReference(of: try JPEGDecoder().decode(bytes, cover: file.name))
      _ = try PaletteExtractor().palette(of: bytes, cover: file.name)
    } catch {
      return error.description
    }
    try writeWhole(colours.bytes, to: reference(of: file))
    return nil
  }

  private var index: String { "\(cache)/index-\(count).json" }

  private func reference(of file: File) -> String {
    let name = checksum(of: "\(file.name)\0\(file.state)".utf8)
    return "\(cache)/\(name).colours"
  }
}
