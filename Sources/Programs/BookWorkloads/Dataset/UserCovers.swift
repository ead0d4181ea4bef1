internal import CoverCache
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The JPEG files of a user's folder, with the reason for each file that cannot be decoded.
struct UserCovers: Codable, Equatable {
  /// A file in the state in which it was decoded.
  struct File: Codable, Equatable {
    let name: String
    let state: FileState
    /// The reason why the file cannot be decoded; nil if it can.
    var reason: String?
  }

  /// The largest number of *.jpg and *.jpeg entries that are read: two for each book.
  static let mostEntries = 20_000

  let folder: String
  /// The *.jpg and *.jpeg files, sorted by name.
  private(set) var files: [File]
  /// The number of *.jpg and *.jpeg entries that come after the most that are read.
  let leftOut: Int

  /// The names of the covers that can be decoded.
  var usable: [String] { files.filter { $0.reason == nil }.map(\.name) }
  /// The covers that cannot be decoded.
  var skipped: [File] { files.filter { $0.reason != nil } }

  /// Lists a folder and decodes each file that is new or has changed since an earlier scan.
  ///
  /// `limit` entries are read, in the order of their names. `progress` is called in order, on any
  /// thread.
  init(
    folder: String, earlier: UserCovers?, limit: Int = Self.mostEntries,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
  ) throws(DatasetError) {
    self.folder = folder
    let entries = try FolderEntries(of: folder, limit: limit, parameter: "covers")
    leftOut = entries.count - entries.names.count
    files = entries.names.compactMap { name in
      fileState(at: "\(folder)/\(name)").map { File(name: name, state: $0) }
    }
    guard !files.isEmpty else { throw .noCovers(path: folder) }
    let known = Dictionary(
      (earlier?.files ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var untried: [Int] = []
    for index in files.indices {
      if let file = known[files[index].name], file.state == files[index].state {
        files[index].reason = file.reason
      } else {
        untried.append(index)
      }
    }
    for (index, reason) in Self.reasons(untried, of: files, in: folder, progress: progress) {
      files[index].reason = reason
    }
    guard let first = files.first?.reason, usable.isEmpty else { return }
    throw .noUsableCovers(path: folder, skipped: files.count, firstReason: first)
  }

  /// Decodes files on all CPUs at an eighth of their size, which reads every byte and finds all
  /// damage.
  private static func reasons(
    _ indices: [Int], of files: [File], in folder: String,
    progress: @escaping @Sendable (Int, Int) -> Void
  ) -> [Int: String] {
    let source = FileCoverSource(directory: folder)
    let found = Mutex<(done: Int, reasons: [Int: String])>((0, [:]))
    DispatchQueue.concurrentPerform(iterations: indices.count) { position in
      let index = indices[position]
      var reason: String?
      do throws(CoverError) {
        let contents = try source.encodedCover(for: files[index].name)
        _ = try JPEGDecoder().decode(
          contents, fitting: PixelSize(width: 32, height: 48), cover: files[index].name)
      } catch {
        reason = error.description
      }
      found.withLock { found in
        found.reasons[index] = reason
        found.done += 1
        progress(found.done, indices.count)
      }
    }
    return found.withLock { $0.reasons }
  }
}
