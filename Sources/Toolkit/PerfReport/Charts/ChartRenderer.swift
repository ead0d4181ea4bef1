internal import Foundation
internal import PerfModel

/// The renderer of charts into files with gnuplot; without gnuplot it draws only SVG.
public struct ChartRenderer: Sendable {
  private let searchPath: [String]

  /// Creates a renderer.
  ///
  /// - Parameter searchPath: The folders in which to look for gnuplot; nil for the folders in PATH.
  public init(searchPath: [String]? = nil) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    self.searchPath = searchPath ?? path.split(separator: ":").map(String.init)
  }

  /// Draws a figure; an existing file is replaced atomically.
  ///
  /// - Throws: `ReportError.gnuplotMissing` for a PNG, `ReportError.gnuplotFailed` with gnuplot's
  ///   message, or `ReportError.cannotWrite`.
  public func draw(
    _ figure: Figure, format: ChartFormat, to path: String
  ) throws(ReportError) {
    let programs = searchPath.map { $0 + "/gnuplot" }
    let folders = FileManager.default
    guard let program = programs.first(where: folders.isExecutableFile(atPath:)) else {
      guard format == .svg else { throw .gnuplotMissing }
      return try DocumentFile.write(SVGFigure.document(figure), to: path)
    }
    let drawn = try Self.run(program, script: GnuplotScript(figure: figure, format: format).text)
    guard !drawn.isEmpty else { throw .gnuplotFailed(status: 0, message: "no output") }
    try DocumentFile.write(drawn, to: path)
  }

  /// Runs gnuplot and returns its output.
  private static func run(_ program: String, script: String) throws(ReportError) -> Data {
    let process = Process()
    let errors = Pipe()
    let (input, output): (FileHandle, FileHandle)
    do {
      (input, output) = (try UnnamedFile.temporary(), try UnnamedFile.temporary())
      try input.write(contentsOf: Data(script.utf8))
      try input.seek(toOffset: 0)
    } catch {
      throw .cannotWrite(
        path: FileManager.default.temporaryDirectory.path, reason: DocumentFile.reason(error))
    }
    process.executableURL = URL(filePath: program)
    // The settings in ~/.gnuplot must not change the chart.
    process.arguments = ["--default-settings"]
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    do {
      try process.run()
    } catch {
      throw .gnuplotFailed(status: -1, message: ErrorReason.clause(error.localizedDescription))
    }
    let said = (try? errors.fileHandleForReading.readToEnd()) ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let lines = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
      throw .gnuplotFailed(
        status: process.terminationStatus, message: lines.suffix(3).joined(separator: " "))
    }
    try? output.seek(toOffset: 0)
    return (try? output.readToEnd()) ?? Data()
  }
}
