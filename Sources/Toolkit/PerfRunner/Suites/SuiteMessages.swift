internal import Foundation
internal import Glibc

/// The messages between a package-benchmark suite and the process that started it.
///
/// A message is its length, a native 64-bit integer, and a JSON value: an object with one key, the kind
/// of the message (`BenchmarkCommandRequest` and `BenchmarkCommandReply` of package-benchmark 1.38.1).
/// The program reads all requests from one descriptor and writes all replies to another one, so that
/// files serve as well as pipes.
enum SuiteMessages {
  /// The reason why replies have no meaning.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// One message.
  struct Message {
    let kind: String
    /// The values of the kind.
    let content: [String: Any]
  }

  /// The version of package-benchmark whose messages are known; messages have no version.
  static let knownVersion = "1.38.1"

  /// The descriptors of requests and replies in the program.
  static let descriptors: (requests: Int32, replies: Int32) = (6, 7)

  /// The options of the program that name its descriptors.
  static let options = [
    "--quiet", "true", "--input-fd", "\(descriptors.requests)", "--output-fd",
    "\(descriptors.replies)",
  ]

  /// Returns the bytes of a request.
  static func request(_ kind: String, _ content: [String: Any] = [:]) -> Data {
    // Only JSON values, which were read from JSON, are sent.
    let json = (try? JSONSerialization.data(withJSONObject: [kind: content])) ?? Data()
    return withUnsafeBytes(of: json.count) { Data($0) } + json
  }

  /// Splits replies into messages.
  ///
  /// - Throws: `Problem` for a message that is cut off, or is no JSON object with one key.
  static func replies(_ bytes: Data) throws(Problem) -> [Message] {
    var messages: [Message] = []
    var rest = bytes[...]
    let header = MemoryLayout<Int>.size
    while !rest.isEmpty {
      guard rest.count >= header else { throw Problem("its last reply is cut off") }
      let length = rest.prefix(header).withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
      rest = rest.dropFirst(header)
      guard length > 0, length <= rest.count else { throw Problem("its last reply is cut off") }
      let value = try? JSONSerialization.jsonObject(with: Data(rest.prefix(length)))
      guard let object = value as? [String: Any], object.count == 1, let kind = object.keys.first
      else { throw Problem("it sent a reply that is no message of package-benchmark") }
      messages.append(Message(kind: kind, content: object[kind] as? [String: Any] ?? [:]))
      rest = rest.dropFirst(length)
    }
    if let error = messages.first(where: { $0.kind == "error" }) {
      throw Problem("it reports: \(error.content["_0"] as? String ?? "an error without a text")")
    }
    return messages
  }
}
