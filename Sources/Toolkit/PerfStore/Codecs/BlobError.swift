/// The reason why a blob cannot be read.
enum BlobError: Error, Equatable, CustomStringConvertible {
  case truncated(at: Int)
  case overlongNumber(at: Int)
  case unknownVersion(UInt8)
  case impossibleCount(UInt64)
  case unknownValueKind(UInt8)
  case trailingBytes(Int)

  var description: String {
    switch self {
    case .truncated(let position): "it ends at byte \(position), in the middle of a number"
    case .overlongNumber(let position): "the number before byte \(position) is over 64 bits long"
    case .unknownVersion(let version): "its format \(version) is unknown"
    case .impossibleCount(let count): "it is too short for \(count) elements"
    case .unknownValueKind(let kind): "its kind of value \(kind) is unknown"
    case .trailingBytes(let count): "\(count) bytes are left over"
    }
  }
}
