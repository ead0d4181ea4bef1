/// What a thread was busy with for some time, in the worker's own words.
public struct Span: Hashable, Sendable {
  /// Who gives it its meaning.
  public enum Kind: Int, Sendable, CaseIterable {
    /// A part of the work that samples are grouped by.
    case phase = 0
    case signpost = 1
    /// A moment; it has no duration.
    case event = 2
  }

  /// Its name.
  public let name: String
  /// Who gives it its meaning.
  public let kind: Kind
  /// Number of its thread in the process, from 1; 0 when unknown.
  public let serial: Int
  /// Nanoseconds from the begin of the measured phase to its own begin.
  public let began: UInt64
  /// Nanoseconds that it lasted.
  public let duration: UInt64

  /// Creates a span.
  public init(name: String, kind: Kind, serial: Int, began: UInt64, duration: UInt64) {
    self.name = name
    self.kind = kind
    self.serial = serial
    self.began = began
    self.duration = duration
  }
}
