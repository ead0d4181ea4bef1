internal import Foundation
internal import PerfModel

/// Reads scenario files, and refuses other files.
package enum ScenarioText {
  /// Largest size of a scenario file in bytes.
  static let limit = 1_048_576

  /// Returns the text of a file.
  ///
  /// The size is checked before reading, and reading stops after the limit, so a growing file does
  /// no harm.
  package static func read(_ path: String) throws(ScenarioError) -> String {
    let data: Data
    do {
      data = try bytes(of: path)
    } catch let problem as FileProblem {
      throw .file(path: path, problem)
    } catch {
      throw .file(path: path, .unreadable(ErrorReason.clause(error.localizedDescription)))
    }
    guard data.count <= limit else {
      throw .file(path: path, .tooLarge(bytes: data.count, limit: limit))
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw .file(path: path, .notUTF8(offset: firstBadByte(data)))
    }
    // A byte order mark has no meaning in UTF-8, and the YAML parser would take it for content.
    return text.unicodeScalars.first == "\u{FEFF}"
      ? String(text.unicodeScalars.dropFirst()) : text
  }

  private static func bytes(of path: String) throws -> Data {
    // Links are resolved first, because a link may point to a device.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard FileManager.default.fileExists(atPath: target) else { throw FileProblem.missing }
    let attributes = try FileManager.default.attributesOfItem(atPath: target)
    switch attributes[.type] as? FileAttributeType {
    case .typeRegular: break
    case .typeDirectory: throw FileProblem.directory
    default: throw FileProblem.notRegular
    }
    if let size = (attributes[.size] as? NSNumber)?.intValue, size > limit {
      throw FileProblem.tooLarge(bytes: size, limit: limit)
    }
    guard FileManager.default.isReadableFile(atPath: target) else {
      throw FileProblem.unreadable("permission denied")
    }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: target))
    defer { try? file.close() }
    return try file.read(upToCount: limit + 1) ?? Data()
  }

  /// Returns the offset of the first byte that is invalid in UTF-8, from 0.
  private static func firstBadByte(_ data: Data) -> Int {
    // Decoding replaces invalid bytes by U+FFFD, so the first difference is the invalid byte.
    let repaired = String(decoding: data, as: UTF8.self).utf8
    return zip(data, repaired).prefix { $0 == $1 }.count
  }
}

extension FileProblem: Error {}
