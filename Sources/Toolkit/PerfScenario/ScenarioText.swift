internal import Foundation
internal import PerfModel

/// Reads scenario files.
package enum ScenarioText {
  /// The most bytes of a file: a long scenario has 10 KB.
  private static let largestFile = 1_000_000

  package static func read(_ path: String) throws(ScenarioError) -> String {
    let files = FileManager.default
    // Links are resolved first, because a link may point to a device, which has no end.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard files.fileExists(atPath: target) else { throw .file(path: path, .missing) }
    let facts = try? files.attributesOfItem(atPath: target)
    let kind = facts?[.type] as? FileAttributeType
    guard kind != .typeDirectory else { throw .file(path: path, .directory) }
    guard kind == .typeRegular else { throw .file(path: path, .notRegular) }
    guard files.isReadableFile(atPath: path) else {
      throw .file(path: path, .unreadable("permission denied"))
    }
    guard (facts?[.size] as? NSNumber)?.intValue ?? 0 <= largestFile else {
      throw .file(path: path, .tooLarge(limit: largestFile))
    }
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw .file(path: path, .unreadable(ErrorReason.clause(error.localizedDescription)))
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      // Decoding replaces invalid bytes by U+FFFD, so the first difference is the invalid byte.
      let repaired = String(decoding: data, as: UTF8.self).utf8
      throw .file(path: path, .notUTF8(offset: zip(data, repaired).prefix { $0 == $1 }.count))
    }
    // A byte order mark has no meaning in UTF-8, and the YAML parser would take it for content.
    return text.unicodeScalars.first == "\u{FEFF}"
      ? String(text.unicodeScalars.dropFirst()) : text
  }
}
