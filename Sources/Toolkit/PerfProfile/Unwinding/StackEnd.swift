internal import CUnwind

/// Why a walk through a stack ended.
enum StackEnd: Hashable, Sendable, CaseIterable {
  /// At the outermost frame of the thread.
  case complete
  /// The copy of the stack ended first.
  case truncated
  /// A register is needed that is not known of a thread read from outside.
  case partial
  /// The innermost code not walked has no unwind information.
  case noUnwindInfo
  /// A return address outside of code, or memory that nobody has.
  case badAddress
  /// The stack pointer did not grow.
  case loop
  /// More frames than are kept.
  case tooDeep

  /// Says why a walk ended, knowing more than the walk.
  ///
  /// - Parameters:
  ///   - end: What the walk met.
  ///   - isCut: Whether the stack went on beyond the copy.
  ///   - isPartial: Whether registers were unknown.
  ///   - isElsewhere: Whether the walk had left the stack that was copied for another one.
  init(_ end: cunwind_end, isCut: Bool, isPartial: Bool, isElsewhere: Bool) {
    self =
      switch end {
      case CUNWIND_COMPLETE: .complete
      case CUNWIND_TRUNCATED where isCut: .truncated
      case CUNWIND_BAD_ADDRESS where isPartial, CUNWIND_TRUNCATED where isPartial: .partial
      case CUNWIND_BAD_ADDRESS where isElsewhere, CUNWIND_TRUNCATED where isElsewhere: .truncated
      case CUNWIND_NO_UNWIND_INFO: .noUnwindInfo
      case CUNWIND_LOOP: .loop
      case CUNWIND_TOO_DEEP: .tooDeep
      default: .badAddress
      }
  }

  /// A few words for readers; also the name of the frame that stands for the missing callers.
  var text: String {
    switch self {
    case .complete: "complete"
    case .truncated: "truncated"
    case .partial: "partial"
    case .noUnwindInfo: "no unwind information"
    case .badAddress: "bad address"
    case .loop: "loop"
    case .tooDeep: "too deep"
    }
  }
}
