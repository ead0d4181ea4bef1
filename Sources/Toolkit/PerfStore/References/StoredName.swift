internal import PerfModel

/// The rules for names of labels and baselines.
public enum StoredName {
  /// Checks that a name cannot be mistaken for another kind of reference.
  ///
  /// - Throws: `StoreError.invalidName`.
  public static func check(_ name: String) throws(StoreError) {
    if let reason = objection(to: name) { throw .invalidName(name: name, reason: reason) }
  }

  private static func objection(to name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name == "latest" { return "it means the latest run" }
    for mark in [":", "~", ".."] where name.contains(mark) { return "it contains '\(mark)'" }
    if name.unicodeScalars.contains(where: \.isControl) {
      return "it contains a control character"
    }
    if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
      return "it starts or ends with a space"
    }
    if name.first == "-" { return "it looks like an option" }
    if name.count >= 7, name.isHexadecimal { return "it looks like a commit" }
    return nil
  }
}

extension String {
  /// Whether every character is an ASCII hexadecimal digit.
  var isHexadecimal: Bool {
    !isEmpty
      && utf8.allSatisfy {
        ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x66 || (0x30...0x39).contains($0)
      }
  }
}
