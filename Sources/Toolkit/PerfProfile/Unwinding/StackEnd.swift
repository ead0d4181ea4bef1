internal import CUnwind

/// The reason why a walk through a stack ended.
///
/// The raw value is a text for readers, also the name of the frame for the missing callers.
enum StackEnd: String, CaseIterable {
  /// It reached the outermost frame of the thread.
  case complete
  /// The copy of the stack ended.
  case truncated
  /// It needs a register that is unknown for a thread read from outside.
  case partial
  /// The next code has no unwind information.
  case noUnwindInfo = "no unwind information"
  /// A return address is outside of code, or memory is unknown.
  case badAddress = "bad address"
  /// The stack pointer did not grow.
  case loop
  /// The stack has more frames than are kept.
  case tooDeep = "too deep"

  /// Refines the reason that the walk returned.
  ///
  /// - Parameters:
  ///   - end: The reason that the walk returned.
  ///   - isCut: Whether the stack extends beyond the copy.
  ///   - isPartial: Whether registers were unknown.
  ///   - isElsewhere: Whether the walk had left the copied stack for another one.
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
}
