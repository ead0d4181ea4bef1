/// Splits a command into words as a shell does, without expanding or running anything.
public enum CommandText {
  /// The reason why a text is no command.
  public enum Problem: Error, Equatable, CustomStringConvertible {
    /// The text has no word.
    case empty
    /// A quotation mark is not closed.
    case openQuote(String)
    /// The text needs a shell.
    case shell(String)

    /// The cause and the remedy.
    public var description: String {
      switch self {
      case .empty: "the command is empty. Pass a program and its arguments."
      case .openQuote(let text): "a quotation mark of `\(text)` is not closed. Close it."
      case .shell(let word):
        "'\(word)' needs a shell, but commands run without one. Write it like "
          + "\"sh -c 'first | second'\", or quote the word."
      }
    }
  }

  private static let operators: Set<String> = ["|", "||", "&", "&&", ";", "<", ">", ">>", "2>"]

  /// Returns the words of a text.
  ///
  /// As in sh(1), `'...'` keeps everything, `"..."` keeps everything but `\"` and `\\`, and `\`
  /// keeps the next character.
  public static func words(_ text: String) throws(Problem) -> [String] {
    var words: [String] = []
    var word = ""
    var (isInWord, isQuoted) = (false, false)
    var quote: Character?
    var characters = text.makeIterator()
    func end() throws(Problem) {
      guard isInWord else { return }
      guard isQuoted || !operators.contains(word) else { throw .shell(word) }
      words.append(word)
      (word, isInWord, isQuoted) = ("", false, false)
    }
    while let character = characters.next() {
      switch (character, quote) {
      case (let mark, let open?) where mark == open: quote = nil
      case ("\\", nil), ("\\", "\""?):
        guard let next = characters.next() else { throw .openQuote(text) }
        if quote != nil, next != "\"", next != "\\" { word.append("\\") }
        word.append(next)
        (isInWord, isQuoted) = (true, true)
      case ("'", nil), ("\"", nil):
        quote = character
        (isInWord, isQuoted) = (true, true)
      case (_, nil) where character.isWhitespace: try end()
      default:
        word.append(character)
        isInWord = true
      }
    }
    guard quote == nil else { throw .openQuote(text) }
    try end()
    guard words.first?.isEmpty == false else { throw .empty }
    return words
  }
}
