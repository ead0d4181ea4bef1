internal import Glibc
internal import PerfWorkload

/// A workload that breaks the protocol.
struct Garbage: Workload {
  enum Kind: String, CaseIterable {
    /// A line that is no JSON.
    case text
    /// JSON of an unknown type.
    case unknown
    /// The begin of a message, then the end of the process.
    case cut
    /// Two MiB without a newline.
    case long
    /// Bytes that are no UTF-8.
    case binary
    /// A good message that is not due.
    case early
  }

  static let name = "bench.garbage"
  static let summary = "Writes garbage to the control channel."
  static let parameters: [ParameterDeclaration] = [
    .choice("stage", default: Stage.measure, "Where it does."),
    .choice("kind", default: Kind.text, "What it writes."),
  ]

  private let stage: Stage
  private let kind: Kind

  static func setup(_ context: SetupContext) throws -> SetupResult {
    if try context.parameters.choice("stage") == Stage.setup {
      write(try context.parameters.choice("kind"))
    }
    return SetupResult()
  }

  init(_ context: PreparationContext) throws {
    stage = try context.parameters.choice("stage")
    kind = try context.parameters.choice("kind")
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
