internal import CPostgres
internal import Foundation

/// The address of a hub: a PostgreSQL URL, or keywords and values, as libpq reads them.
///
/// The description omits passwords and is an address itself.
public struct HubAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address with its secrets, for libpq alone.
  let text: String
  /// The address as a URL without passwords.
  public let description: String
  /// Whether the text contains a password.
  public let hasPassword: Bool

  /// Reads an address.
  ///
  /// - Throws: `HubError.invalidAddress`, whose message does not repeat the text.
  public init(_ text: String) throws(HubError) {
    // libpq takes any other text for the name of a database.
    guard text.contains("://") || text.contains("=") else {
      throw .invalidAddress(reason: "it is no URL")
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let list = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw .invalidAddress(reason: Self.reason(message.map { String(cString: $0) } ?? ""))
    }
    defer { PQconninfoFree(list) }
    var options: [String: String] = [:]
    var secrets: [String: String] = [:]
    var option = list
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        // libpq marks options that are shown as dots.
        let isSecret = option.pointee.dispchar.map { String(cString: $0) } == "*"
        if isSecret {
          secrets[String(cString: keyword)] = String(cString: value)
        } else {
          options[String(cString: keyword)] = String(cString: value)
        }
      }
      option += 1
    }
    // The rest of a password with an unescaped @ would be printed as a part of the host.
    guard options["host"]?.contains("@") != true else {
      throw .invalidAddress(reason: "its host contains '@'. Write @ in a password as %40")
    }
    self.text = text
    hasPassword = !secrets.isEmpty
    description = Self.url(options)
  }

  /// Returns the part of libpq's message that cannot contain a secret.
  private static func reason(_ message: String) -> String {
    let safe = [
      /invalid URI query parameter: "[a-z_]+"/, /invalid connection option "[a-z_]+"/,
    ]
    for pattern in safe {
      if let match = message.firstMatch(of: pattern) { return String(match.output) }
    }
    return "libpq cannot parse it"
  }

  private static func url(_ options: [String: String]) -> String {
    var rest = options
    var url = "postgresql://"
    if let user = rest.removeValue(forKey: "user") { url += escaped(user) + "@" }
    if let host = rest["host"], !host.contains("/"), !host.contains(",") {
      rest["host"] = nil
      url += host.contains(":") ? "[\(host)]" : escaped(host)
      if let port = rest.removeValue(forKey: "port") { url += ":" + escaped(port) }
    }
    url += "/" + escaped(rest.removeValue(forKey: "dbname") ?? "")
    let query = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\(escaped($0.value))" }
    return query.isEmpty ? url : url + "?" + query.joined(separator: "&")
  }

  private static func escaped(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/,")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// Returns the words of a command line in which no `--hub` has a password.
  ///
  /// Words after the first `--` belong to a measured command.
  public static func withoutPasswords(_ words: [String]) -> [String] {
    var words = words
    let end = words.firstIndex(of: "--") ?? words.count
    for index in 0..<end {
      if words[index].hasPrefix("--hub=") {
        words[index] = "--hub=" + shown(String(words[index].dropFirst("--hub=".count)))
      } else if words[index] == "--hub", index + 1 < end {
        words[index + 1] = shown(words[index + 1])
      }
    }
    return words
  }

  private static func shown(_ text: String) -> String {
    guard let address = try? HubAddress(text) else { return "?" }
    return address.hasPassword ? address.description : text
  }
}
