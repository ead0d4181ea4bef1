internal import Foundation
internal import PerfModel

/// Addresses of files that need names.
struct SymbolRequest: Codable, Sendable {
  /// A file with addresses.
  struct File: Codable, Sendable {
    let path: String
    let buildID: [UInt8]
    /// Addresses of the file, ascending.
    let addresses: [UInt64]
  }

  var files: [File]
  let tools: ToolPaths
}

/// The names found for a request.
///
/// As data it is JSON, in which the symbols of each file are the bytes of `PackedSymbols` in base64.
struct SymbolAnswer: Sendable {
  /// The symbols of a file.
  struct File: Sendable {
    /// The frames of each address, innermost first; empty if there is no name.
    var frames: [UInt64: [SymbolFrame]] = [:]
    /// The addresses whose frames are as good as the file allows and may be cached.
    var final: Set<UInt64> = []
  }

  /// The files of the request in its order; nil if reading a file failed.
  var files: [File?]
  var warnings: [RunWarning] = []

  private struct Encoded: Codable {
    struct File: Codable {
      let symbols: Data
      let final: [UInt64]
    }

    let files: [File]
    let warnings: [RunWarning]
  }

  init(files: [File?], warnings: [RunWarning] = []) {
    self.files = files
    self.warnings = warnings
  }

  /// Decodes an answer.
  ///
  /// - Parameters:
  ///   - data: The encoded answer.
  ///   - request: The request that it answers.
  /// - Throws: `DecodingError`, also if the answer does not match the request.
  init(_ data: Data, to request: SymbolRequest) throws {
    let encoded = try JSONDecoder().decode(Encoded.self, from: data)
    guard encoded.files.count == request.files.count else { throw Self.mismatch }
    files = try zip(encoded.files, request.files).map { file, asked in
      guard var packed = PackedSymbols([UInt8](file.symbols)) else { throw Self.mismatch }
      var symbols = File(final: Set(file.final))
      for (address, frames) in zip(asked.addresses, packed.frames(at: asked.addresses)) {
        symbols.frames[address] = frames
      }
      return symbols
    }
    warnings = encoded.warnings
  }

  /// Returns the encoded answer.
  func data() throws -> Data {
    let files = files.map { file in
      Encoded.File(
        symbols: Data(SymbolPacker.pack(file?.frames ?? [:])), final: (file?.final ?? []).sorted())
    }
    return try JSONEncoder().encode(Encoded(files: files, warnings: warnings))
  }

  private static let mismatch = DecodingError.dataCorrupted(
    .init(codingPath: [], debugDescription: "the answer does not match the request"))
}
