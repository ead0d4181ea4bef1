/// Addresses of a sample's callers, which the spool keeps in place of async contexts.
struct CallChain {
  /// Marks a sample in the spool whose pairs of words are a chain that the kernel recorded.
  static let flag: UInt16 = 1 << 15

  /// The smallest marker of a context (`enum perf_callchain_context`), which is no address.
  private static let contexts = UInt64(bitPattern: -4095)
  /// The marker of the user's part.
  private static let userContext = UInt64(bitPattern: -512)

  private let words: [UInt64]
  /// Whether the user's part begins with the program counter, and not with the last address in the
  /// copied stack.
  let isWhole: Bool

  /// The functions of the kernel, innermost first.
  var kernel: ArraySlice<UInt64> { words.prefix { $0 != Self.userContext } }
  /// The return addresses by frame pointers, innermost first.
  var user: ArraySlice<UInt64> { words.drop { $0 != Self.userContext }.dropFirst() }

  /// Takes over the chain that the kernel recorded.
  ///
  /// - Parameters:
  ///   - bytes: The words of a record, or of the spool.
  ///   - withUser: Whether the user's part is kept.
  init(_ bytes: UnsafeRawBufferPointer, withUser: Bool = true) {
    let all = Self.words(bytes).filter { $0 < Self.contexts || $0 == Self.userContext }
    words = withUser ? all : Array(all.prefix { $0 != Self.userContext })
    isWhole = true
  }

  /// Takes over the return addresses of a sample by the agent (`PERFKIT_SAMPLE_CALLERS`).
  init(outer bytes: UnsafeRawBufferPointer) {
    words = [Self.userContext] + Self.words(bytes)
    isWhole = false
  }

  private static func words(_ bytes: UnsafeRawBufferPointer) -> [UInt64] {
    stride(from: 0, to: bytes.count & ~7, by: 8)
      .map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }.filter { $0 != 0 }
  }

  var pairs: UInt16 { UInt16(clamping: (words.count + 1) / 2) }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    (words + [0]).prefix(2 * Int(pairs)).withUnsafeBytes(body)
  }
}
