extension Unicode.Scalar {
  /// Whether it controls a terminal, or the order in which the characters beside it are displayed.
  package var isControl: Bool {
    properties.generalCategory == .control || properties.isBidiControl
  }
}

extension String {
  /// Returns the text with some ASCII scalars replaced.
  ///
  /// Parsers look at Unicode scalars, Swift at characters. A quote between combining characters is
  /// not a `"` character in Swift, and neither is a line feed after a carriage return a line feed.
  /// Therefore scalars are replaced.
  package func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
    // No byte of another scalar is an ASCII byte.
    let signs = escapes.keys.map { UInt8(ascii: $0) }
    guard utf8.contains(where: { signs.contains($0) }) else { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for byte in utf8 {
      if signs.contains(byte), let text = escapes[Unicode.Scalar(byte)] {
        bytes += text.utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text with control characters replaced by spaces, so that no name can control a terminal.
  package var withoutControls: String {
    unicodeScalars.contains(where: \.isControl)
      ? String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 })) : self
  }

  /// The line with a bar or a space in it if a log of GitHub would take it for a command, such as `::error::text`.
  ///
  /// GitHub ignores spaces before `::`, and finds `##[` everywhere in a line. Characters without an appearance may
  /// be ignored as well.
  package var withoutCommands: String {
    let line = replacing("##[", with: "## [")
    let visible = line.unicodeScalars.filter {
      !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
    }
    guard visible.starts(with: "::".unicodeScalars),
      let colon = line.unicodeScalars.firstIndex(of: ":")
    else { return line }
    let indent = String(line.unicodeScalars[..<colon])
    // The columns of a table keep their places.
    let kept = indent.hasSuffix("  ") ? String(indent.dropLast(2)) : indent
    return kept + "| " + String(line.unicodeScalars[colon...])
  }
}
