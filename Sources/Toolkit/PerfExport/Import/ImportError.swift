internal import PerfModel

/// An error while reading the profile of another tool.
public enum ImportError: Error, Equatable, CustomStringConvertible {
  /// The file is of no known format.
  case unrecognised(hint: String)
  /// The file or its uncompressed content is too large.
  case tooLarge(limit: Int)
  /// The content cannot be decompressed, because it is damaged.
  case damagedCompression
  /// The content contradicts the format.
  case malformed(ImportFormat, reason: String)
  /// The file has no samples.
  case noSamples(ImportFormat)
  /// An interval was given, but the file has times.
  case hasUnit(ImportFormat, measure: String)

  /// The reason, and a remedy if there is one, as the end of a sentence.
  ///
  /// It is safe to print: parts of the file contain no control characters.
  public var description: String { sentence.withoutControls }

  private var sentence: String {
    switch self {
    case .unrecognised(let hint):
      "its format is unknown. \(hint)Known formats: "
        + ImportFormat.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: "; ")
        + ". If it is one of these, name it with --format."
    case .tooLarge(let limit):
      "its content is larger than \(limit >> 20) MiB. Export a part of the profile, or another format."
    case .damagedCompression:
      "its compressed data is damaged or truncated. Copy or record the file again."
    case .malformed(let format, let reason):
      "as \(format.rawValue) it is invalid: \(reason). It may be truncated or of another format; "
        + "write it again, or pass another --format."
    case .noSamples(let format): "as \(format.rawValue) it has no samples."
    case .hasUnit(let format, let measure):
      "the \(format.rawValue) file states the unit of its weights (\(measure)). Leave out --interval."
    }
  }
}
