/// A check that XML elements are closed in the order in which they were opened.
enum MarkupCheck {
  /// Returns the problem, or nil.
  static func problem(in text: String) -> String? {
    var open: [Substring] = []
    var rest = text[...]
    while let begin = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: begin)...]
      if rest.hasPrefix("![CDATA[") {
        guard let end = rest.firstRange(of: "]]>") else { return "CDATA without an end" }
        rest = rest[end.upperBound...]
        continue
      }
      guard let end = rest.firstIndex(of: ">") else { return "a tag without an end" }
      let tag = rest[..<end]
      rest = rest[rest.index(after: end)...]
      if tag.contains("<") { return "a bare < in \(tag)" }
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else { return "\(tag) closes nothing" }
      } else if !tag.hasSuffix("/") {
        open.append(tag.prefix { !$0.isWhitespace })
      }
    }
    return open.isEmpty ? nil : "\(open.joined(separator: ", ")) stay open"
  }
}
