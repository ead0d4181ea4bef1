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
    // Files without names leave nothing when this process is killed.
    let (script, drawn): (FileHandle, FileHandle)
    let folder = folders.temporaryDirectory.path
    do {
      script = try UnnamedFile(temporaryIn: folder).handle
      drawn = try UnnamedFile(temporaryIn: folder).handle
      try script.write(contentsOf: Data(GnuplotScript(figure: figure, format: format).text.utf8))
    } catch {
      throw .cannotWrite(path: folder, reason: DocumentFile.reason(error))
    }
    try Self.run(program, script: script, output: drawn)
    guard (try? drawn.seek(toOffset: 0)) != nil, let data = try? drawn.readToEnd(), !data.isEmpty
    else { throw .gnuplotFailed(status: 0, message: "no output") }
    try DocumentFile.write(data, to: path)
  }

  private static func run(
    _ program: String, script: FileHandle, output: FileHandle
  ) throws(ReportError) {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(filePath: program)
    // The settings in ~/.gnuplot must not change the chart.
    // Named as a file, because gnuplot takes `-` for a dialogue.
    process.arguments = ["--default-settings", "/dev/stdin"]
    process.standardInput = script
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
  }
}
