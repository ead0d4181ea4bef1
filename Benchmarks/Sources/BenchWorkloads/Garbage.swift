internal import Glibc
internal import PerfWorkload

/// A workload that violates the protocol.
struct Garbage: Workload {
  enum Kind: String, CaseIterable {
    /// Text in place of a JSON message.
    case text
    /// A message of an unknown type.
    case unknown
    /// The beginning of a message before the process ends.
    case cut
    /// Two MiB without a newline.
    case long
    /// Bytes that are not UTF-8.
    case binary
    /// A valid message at the wrong time.
    case early
  }

  static let name = "bench.garbage"
  static let summary = "Writes garbage to the control channel."
  static let stage = Parameter("stage", default: Stage.measure, "Stage in which it writes.")
  static let kind = Parameter("kind", default: Kind.text, "Kind of the garbage.")
  static let parameters: [any WorkloadParameter] = [stage, kind]

  private let stage: Stage
  private let kind: Kind

  static func setup(_ context: SetupContext) throws -> SetupResult {
    if context[Self.stage] == .setup {
      write(context[Self.kind])
    }
    return SetupResult()
  }

  init(_ context: PreparationContext) throws {
    stage = context[Self.stage]
    kind = context[Self.kind]
    if stage == .prepare { Self.write(kind) }
  }

  func measure(_ context: MeasurementContext) throws {
    if stage == .measure { Self.write(kind) }
  }

  private static func write(_ kind: Kind) {
    let bytes: [UInt8] =
      switch kind {
      case .text: Array("Hello, this is not JSON.\n".utf8)
      case .unknown: Array("{\"type\":\"greeting\"}\n".utf8)
      case .cut: Array("{\"type\":\"done\",\"coun".utf8)
      case .long: Array(repeating: UInt8(ascii: "x"), count: 2 << 20)
      case .binary: [0xFF, 0xFE, 0x00, 0xC3, 0x28, 0x0A]
      case .early: Array("{\"type\":\"ready\",\"files\":[],\"notes\":{}}\n".utf8)
      }
    guard let text = getenv("PERFKIT_CONTROL_FD"), let file = Int32(String(cString: text)) else {
      return
    }
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(file, rest.baseAddress, rest.count)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
    if kind == .cut { _exit(0) }
  }
}
