/// The system's description of an error, as a clause of a PerfKit message.
public enum ErrorReason {
  /// Returns `Permission denied` for `The operation could not be completed. Permission denied.`,
  /// without Foundation's opening and final point.
  public static func clause(_ description: String) -> String {
    let opening = "The operation could not be completed. "
    var clause = Substring(description)
    if clause.hasPrefix(opening) { clause = clause.dropFirst(opening.count) }
    while clause.last == "." || clause.last == " " { clause.removeLast() }
    return String(clause)
  }
}
