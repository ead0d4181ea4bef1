internal import PerfModel

enum Markup {
  /// Returns escaped text for elements and quoted attributes.
  ///
  /// Control characters, which XML does not allow, become spaces.
  static func escape(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t", " "..."~": result.unicodeScalars.append(scalar)
      default:
        let isNoncharacter = scalar.properties.isNoncharacterCodePoint
        result.unicodeScalars.append(scalar.isControl || isNoncharacter ? " " : scalar)
      }
    }
    return result
  }

  /// Returns the text that was escaped; control characters stay spaces.
  static func unescape(_ text: String) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
      .reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }

  /// Returns a coordinate with at most one decimal.
  static func number(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e9 else { return "0" }
    let tenths = Int((value * 10).rounded())
    let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
    return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
  }
}
