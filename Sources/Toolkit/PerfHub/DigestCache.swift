internal import Foundation
internal import Glibc
internal import PerfStore

/// The digests of runs that a store and a hub have alike, in a text file beside the store.
///
/// A push or pull that is repeated need not read these runs again. Ids are never used for another run, so that a line
/// stays true; a missing or damaged file costs time alone.
struct DigestCache {
  /// The end of the file's name after the name of the store.
  static let ending = "-hub"

  private let path: String
  private var digests: [String: String] = [:]
  /// The lines that are not in the file yet.
  private var added = ""

  /// Reads the digests of a store.
  init(of store: RunStore) {
    path = store.path + Self.ending
    guard let data = FileManager.default.contents(atPath: path) else { return }
    for line in data.split(separator: UInt8(ascii: "\n")) {
      let words = line.split(separator: UInt8(ascii: " "))
      guard words.count == 2 else { continue }
      digests[String(decoding: words[0], as: UTF8.self)] = String(decoding: words[1], as: UTF8.self)
    }
  }

  /// The digest of a run on a hub that has the run of the store; nil if unknown.
  subscript(id: String) -> String? { digests[id] }

  mutating func insert(_ digest: String, of id: String) {
    guard digests.updateValue(digest, forKey: id) != digest else { return }
    added += "\(id) \(digest)\n"
  }

  /// Appends the new digests to the file.
  mutating func save() {
    guard !added.isEmpty, path.hasPrefix("/") else { return }
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    // One call, so that the lines of two processes do not mix.
    _ = Array(added.utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    added = ""
  }
}
