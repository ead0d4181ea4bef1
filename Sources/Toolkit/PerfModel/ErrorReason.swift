/// The system's words for an error, as part of a sentence of ours.
public enum ErrorReason {
  /// Returns a description without what Foundation puts around it.
  ///
  /// - Parameter description: As `The operation could not be completed. Permission denied.`
  /// - Returns: As `Permission denied`: our sentence has said already what failed, and ends itself.
  public static func clause(_ description: String) -> String {
    let opening = "The operation could not be completed. "
    var clause = Substring(description)
    if clause.hasPrefix(opening) { clause = clause.dropFirst(opening.count) }
    while clause.last == "." || clause.last == " " { clause.removeLast() }
    return String(clause)
  }
}
