/// Fits text into columns of characters.
enum TextWrapping {
  /// Returns the words in lines of at most `width` characters; longer words get lines of their own.
  static func lines(of text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.withoutControls.split(whereSeparator: \.isWhitespace) {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " " + word
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// Returns a text of at most `width` characters, with its middle left out where it is longer.
  ///
  /// Both ends of a function's name tell: the module at the front, the function at the end.
  static func shortened(_ text: String, to width: Int) -> String {
    guard text.count > width, width > 1 else { return text }
    let front = (width - 1) / 2
    return text.prefix(front) + "…" + text.suffix(width - 1 - front)
  }
}

extension String {
  /// Returns the text with spaces behind it, up to a width.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// Returns the text with spaces in front of it, up to a width.
  func paddedInFront(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// The text with control characters replaced by spaces, so that no name can steer a terminal.
  var withoutControls: String {
    contains { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
      ? String(
        String.UnicodeScalarView(
          unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })) : self
  }
}
