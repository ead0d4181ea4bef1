/// A named period of a thread, declared by the worker.
public struct Span: Hashable, Sendable {
  /// The kind of a span.
  public enum Kind: Int, Sendable, CaseIterable {
    /// A part of the work by which samples are grouped.
    case phase = 0
    case signpost = 1
    /// A moment without a duration.
    case event = 2

    /// The kind in words and in JSON.
    public var name: String {
      switch self {
      case .phase: "phase"
      case .signpost: "signpost"
      case .event: "event"
      }
    }
  }

  /// The name.
  public let name: String
  /// The kind.
  public let kind: Kind
  /// Number of the thread in its process, from 1; 0 if unknown.
  public let serial: Int
  /// Nanoseconds from the start of the measured phase to the start of the span.
  public let began: UInt64
  /// The duration in nanoseconds.
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
