/// How short of memory the device is, in the four levels of the case study.
public enum MemoryPressure: String, CaseIterable, Sendable {
  /// Under 50 % of the device's budget is used.
  case normal
  /// From 50 %.
  case warning
  /// From 70 %.
  case urgent
  /// From 85 %.
  case critical
}
