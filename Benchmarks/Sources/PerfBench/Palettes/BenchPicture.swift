internal import CoverCache
internal import CoverPalette
internal import Foundation
internal import PerfModel

/// A picture of the palette benchmark with the histogram of all its pixels.
struct BenchPicture {
  let name: String
  let path: String
  let bytes: [UInt8]
  let reference: ColorReference

  /// Loads the pictures of a folder, or the photographs that BookWorkloads paints.
  static func load(folder: String?, width: Int, count: Int) throws -> [BenchPicture] {
    let cache = FileManager.default.currentDirectoryPath + "/.perfkit/data"
    var parameters: Parameters = [
      "rounds": .int(1), "count": .int(count), "width": .int(width),
      "pictures": .string("photographs"),
    ]
    if let folder { parameters["folder"] = .string(folder) }
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    // The worker paints missing pictures and refuses folders that cannot be used.
    _ = try workshop.launch(
      "book.palette", worker: "BookWorkloads", parameters: parameters,
      setting: BenchWorkshop.Setting(name: "pictures"), cache: cache, seed: 1)
    let directory = try folder ?? painted(width, in: cache)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
      .filter { $0.lowercased().hasSuffix(".jpg") || $0.lowercased().hasSuffix(".jpeg") }
    var pictures: [BenchPicture] = []
    for name in names where pictures.count < count {
      var status = stat()
      // Opening a named pipe would wait for a writer.
      guard stat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        let bytes = try? FileCoverSource(directory: directory).encodedCover(for: name),
        let whole = try? JPEGDecoder().decode(bytes, cover: name)
      else { continue }
      pictures.append(
        BenchPicture(
          name: name, path: "\(directory)/\(name)", bytes: bytes,
          reference: ColorReference(of: whole)))
    }
    return pictures
  }

  /// Decodes the picture at an eighth of its size.
  func eighth() throws(CoverError) -> PixelBuffer {
    try JPEGDecoder().decode(bytes, covering: PixelSize(width: 1, height: 1), cover: name)
  }

  /// Returns the folder of painted photographs that the launch has left.
  private static func painted(_ width: Int, in cache: String) throws -> String {
    let ending = "-photographs-\(width)x\(width * 3 / 2)-baseline-seed1"
    let folders = try FileManager.default.contentsOfDirectory(atPath: cache)
      .filter { $0.hasPrefix("palettes-") && $0.hasSuffix(ending) }
    guard let folder = folders.max() else {
      throw BenchError(description: "book.palette left no photographs in '\(cache)'")
    }
    return "\(cache)/\(folder)"
  }
}
