/// The length of a report as text.
public enum Detail: Sendable {
  /// The verdict with its evidence, at most 15 lines.
  case brief
  /// One screen of at most 24 lines.
  case screen
  /// All tables and warnings.
  case all
}
