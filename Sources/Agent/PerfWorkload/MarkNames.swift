internal import CPerfFormat
internal import Synchronization

/// The ids of mark names in the capture segment.
///
/// Any thread. Equal names share an id, so that creating a name in a loop does not fill the segment.
/// Looking up a known name allocates nothing.
final class MarkNames: Sendable {
  static let shared = MarkNames()

  private struct Known {
    var byAddress: [UnsafePointer<UInt8>: UInt32] = [:]
    var byText: [String: UInt32] = [:]
  }

  private let known = Mutex(Known())
  /// Whether the agent is loaded; without it, every id is 0.
  private let isAgentLoaded = perf_mark_is_active() != 0

  /// Returns the id of a name; 0 without the agent.
  func id(of text: String) -> UInt32 {
    guard isAgentLoaded else { return 0 }
    return known.withLock { Self.id(of: text, &$0) }
  }

  /// Returns the id of a literal, which is looked up by its address; 0 without the agent.
  func id(of literal: StaticString) -> UInt32 {
    guard isAgentLoaded else { return 0 }
    guard literal.hasPointerRepresentation else { return id(of: "\(literal)") }
    return known.withLock { known in
      if let id = known.byAddress[literal.utf8Start] { return id }
      let id = Self.id(of: "\(literal)", &known)
      known.byAddress[literal.utf8Start] = id
      return id
    }
  }

  private static func id(of text: String, _ known: inout Known) -> UInt32 {
    if let id = known.byText[text] { return id }
    var copy = text
    let id = copy.withUTF8 { bytes -> UInt32 in
      bytes.withMemoryRebound(to: CChar.self) { characters -> UInt32 in
        guard let start = characters.baseAddress else { return 0 }
        return perf_mark_name(start, characters.count)
      }
    }
    known.byText[text] = id
    return id
  }
}
