internal import CoverCache
internal import Foundation

/// A hundred covers of a data set and what is known of their files.
///
/// A block counts as made once its manifest is written, which is done last.
struct CoverBlock: Codable, Equatable {
  /// A file of a block.
  struct File: Codable, Equatable {
    let bytes: Int
    let checksum: String

    /// Describes a file.
    init(_ contents: [UInt8]) {
      bytes = contents.count
      checksum = BookWorkloads.checksum(of: contents)
    }
  }

  /// Covers in a block.
  static let count = 100

  /// Its number, from 0.
  let number: Int
  /// Its covers' files in order, nil for those that are to be made.
  var files: [File?]

  /// Indexes of its covers.
  var indices: Range<Int> { number * Self.count..<(number + 1) * Self.count }
  /// Indexes of the covers that are to be made.
  var missing: [Int] { indices.filter { files[$0 - indices.lowerBound] == nil } }

  /// Creates a block of which nothing is there.
  init(number: Int) {
    self.number = number
    files = Array(repeating: nil, count: Self.count)
  }

  /// Reads the manifest of a block; what is not there or not readable is a block of missing covers.
  init(number: Int, folder: String) {
    self.init(number: number)
    let url = URL(fileURLWithPath: Self.manifest(of: number, in: folder))
    guard let data = try? Data(contentsOf: url),
      let block = try? JSONDecoder().decode(Self.self, from: data),
      block.number == number, block.files.count == Self.count
    else { return }
    self = block
  }

  /// Writes the manifest.
  func save(in folder: String) throws(DatasetError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(self) else { return }
    try writeWhole([UInt8](data), to: Self.manifest(of: number, in: folder))
  }

  /// Forgets the files that are gone or have another size, and of a sample, another checksum.
  ///
  /// - Parameters:
  ///   - folder: Where the covers are.
  ///   - sample: How many checksums are compared; other ones each time.
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

  /// Removes its files, its manifest first.
  func remove(from folder: String) {
    try? FileManager.default.removeItem(atPath: Self.manifest(of: number, in: folder))
    for index in indices {
      try? FileManager.default.removeItem(
        atPath: "\(folder)/\(BookGenerator.coverName(of: index))")
    }
  }

  private static func manifest(of number: Int, in folder: String) -> String {
    "\(folder)/block-\(number).json"
  }
}
