internal import PerfModel

/// The fitting of text into a width in characters.
public enum TextWrapping {
  /// Returns the words in lines of at most `width` characters; a longer word continues on the next line.
  ///
  /// With `keepsWords`, a longer word has a line of its own, so that it can be copied.
  public static func lines(of text: String, width: Int, keepsWords: Bool = false) -> [String] {
    let width = max(width, 1)
    var lines: [String] = []
    var line = ""
    for word in text.withoutControls.split(whereSeparator: \.isWhitespace) {
      if !line.isEmpty {
        if line.count + 1 + word.count <= width {
          line += " " + word
          continue
        }
        lines.append(line)
      }
      line = String(word)
      while !keepsWords, line.count > width {
        let head = head(of: line, width: width)
        lines.append(String(head))
        line = String(line.dropFirst(head.count))
      }
    }
    if !line.isEmpty || lines.isEmpty { lines.append(line) }
    return lines
  }

  /// Returns the beginning of a word that is too long; a path is cut after a slash.
  private static func head(of word: String, width: Int) -> Substring {
    let head = word.prefix(width)
    guard let slash = head.dropFirst(width / 2).lastIndex(of: "/") else { return head }
    return head[...slash]
  }

  /// Returns a text of at most `width` characters; the middle of a longer text is replaced by an
  /// ellipsis.
  ///
  /// Both ends of a function name are informative: the module at the front, the function at the
  /// end.
  static func shortened(_ text: String, to width: Int) -> String {
    guard text.count > width, width > 1 else { return text }
    let front = (width - 1) / 2
    return text.prefix(front) + "…" + text.suffix(width - 1 - front)
  }

  /// Returns a text of at most `width` characters; the end of a longer text is replaced by an ellipsis.
  static func begun(_ text: String, to width: Int) -> String {
    text.count > width && width > 1 ? text.prefix(width - 1) + "…" : text
  }
}
