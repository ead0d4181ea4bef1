internal import CoverCache
internal import Foundation

/// A hundred covers of a data set, with the sizes and checksums of their files.
///
/// The manifest is written last, so a block with a manifest is complete.
struct CoverBlock: Codable, Equatable {
  /// A cover file of a block.
  struct File: Codable, Equatable {
    let bytes: Int
    let checksum: String

    init(_ contents: [UInt8]) {
      bytes = contents.count
      checksum = BookWorkloads.checksum(of: contents)
    }
  }

  /// The number of covers in a block.
  static let count = 100

  let number: Int
  /// The files of the covers in order; nil for missing covers.
  var files: [File?]

  var indices: Range<Int> { number * Self.count..<(number + 1) * Self.count }
  /// The indices of the missing covers.
  var missing: [Int] { indices.filter { files[$0 - indices.lowerBound] == nil } }

  init(number: Int) {
    self.number = number
    files = Array(repeating: nil, count: Self.count)
  }

  /// Reads the manifest of a block; if that fails, all covers are missing.
  init(number: Int, folder: String) {
    self.init(number: number)
    let url = URL(fileURLWithPath: Self.manifest(of: number, in: folder))
    guard let data = try? Data(contentsOf: url),
      let block = try? JSONDecoder().decode(Self.self, from: data),
      block.number == number, block.files.count == Self.count
    else { return }
    self = block
  }

  func save(in folder: String) throws(DatasetError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(self) else { return }
    try writeWhole([UInt8](data), to: Self.manifest(of: number, in: folder))
  }

  /// Removes the entries of files that are missing or have a wrong size or, in a sample, a wrong
  /// checksum.
  ///
  /// Each call compares different checksums.
  ///
  /// - Returns: Whether a file of the right size had the wrong contents.
  mutating func check(in folder: String, sample: Int) -> Bool {
    let source = FileCoverSource(directory: folder)
    let sampled = Set(indices.shuffled().prefix(sample))
    var isDamaged = false
    for index in indices {
      let place = index - indices.lowerBound
      guard let file = files[place] else { continue }
      let name = BookGenerator.coverName(of: index)
      if fileState(at: "\(folder)/\(name)")?.bytes != file.bytes {
        files[place] = nil
      } else if sampled.contains(index) {
        let contents = try? source.encodedCover(for: name)
        guard contents.map(File.init) != file else { continue }
        files[place] = nil
        isDamaged = true
      }
    }
    return isDamaged
  }

  /// Removes the files of the block, starting with the manifest.
  func remove(from folder: String) {
    try? FileManager.default.removeItem(atPath: Self.manifest(of: number, in: folder))
    for index in indices {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(BookGenerator.coverName(of: index))")
    }
  }

  private static func manifest(of number: Int, in folder: String) -> String {
    "\(folder)/block-\(number).json"
  }
}
