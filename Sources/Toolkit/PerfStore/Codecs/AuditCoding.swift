internal import Foundation
internal import PerfModel

/// An audit as JSON that outlives new fields: what stored text lacks is as in an audit of nothing.
enum AuditCoding {
  static func encode(_ audit: ProfileAudit) throws -> String {
    String(decoding: try encoder.encode(audit), as: UTF8.self)
  }

  static func decode(_ text: String) throws -> ProfileAudit {
    let defaults = try JSONSerialization.jsonObject(with: try encoder.encode(ProfileAudit()))
    let stored = try JSONSerialization.jsonObject(with: Data(text.utf8))
    guard let defaults = defaults as? [String: Any], let stored = stored as? [String: Any] else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "an audit is a JSON object"))
    }
    let merged = defaults.merging(stored) { _, stored in stored }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(
      ProfileAudit.self, from: try JSONSerialization.data(withJSONObject: merged))
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }
}
