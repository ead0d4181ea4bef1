import Foundation
import PerfModel
import PerfTestSupport
import Testing

@testable import PerfReport

struct ChartSnapshotTests {
  @Test func `gnuplot scripts match their snapshots`() throws {
    let run = SampleDocuments.run(variant: "naive", fling: 200)
    let comparison = SampleComparisons.naiveAgainstOptimised(fling: 200)
    expectSnapshot(
      GnuplotScript(figure: try run.figure(.frames), format: .png).text,
      "frames.gp")
    expectSnapshot(
      GnuplotScript(figure: try run.figure(.metrics), format: .svg).text,
      "metrics.gp")
    expectSnapshot(
      GnuplotScript(figure: try comparison.figure(.comparison), format: .png).text,
      "comparison.gp")
  }

  @Test func `SVG charts match their snapshots`() throws {
    let run = SampleDocuments.run(variant: "naive", fling: 200)
    let comparison = SampleComparisons.naiveAgainstOptimised(fling: 200)
    expectSnapshot(SVGFigure.document(try run.figure(.metrics)), "metrics.svg")
    expectSnapshot(SVGFigure.document(try comparison.figure(.comparison)), "comparison.svg")
  }
}

struct ChartTests {
  private static let gnuplot = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    .first { FileManager.default.isExecutableFile(atPath: $0 + "/gnuplot") }

  /// A 1200 x 600 drawing has twice as many pixels; width and height are in bytes 16 to 23.
  @Test(.enabled(if: gnuplot != nil)) func `gnuplot draws a PNG of the requested size`() throws {
    let folder = try TemporaryFolder()
    let path = folder("deep/frames.png")
    let figure = try SampleDocuments.run(variant: "naive", fling: 200).figure(.frames)
    try ChartRenderer().draw(figure, format: .png, to: path)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(Array(bytes.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    let number = { (at: Int) in bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    #expect(number(16) == 2400)
    #expect(number(20) == 1200)
  }

  @Test func `a PNG without gnuplot is an error that names the package`() throws {
    let folder = try TemporaryFolder()
    let figure = try SampleDocuments.run(fling: 200).figure(.frames)
    let renderer = ChartRenderer(searchPath: [folder.path])
    let error = #expect(throws: ReportError.gnuplotMissing) {
      try renderer.draw(figure, format: .png, to: folder("a.png"))
    }
    #expect(error?.description.contains("apt-get install gnuplot-nox") == true)
    #expect(!FileManager.default.fileExists(atPath: folder("a.png")))
  }

  @Test func `an SVG without gnuplot is drawn by the built-in renderer`() throws {
    let folder = try TemporaryFolder()
    let figure = try SampleDocuments.run(fling: 200).figure(.frames)
    let renderer = ChartRenderer(searchPath: [])
    try renderer.draw(figure, format: .svg, to: folder("a.svg"))
    let text = try String(contentsOfFile: folder("a.svg"), encoding: .utf8)
    #expect(text == SVGFigure.document(figure))
  }

  /// Draws with a fake gnuplot that runs a shell command with output to stderr and fails.
  private func expectFailure(of line: String, saying message: String) throws {
    let folder = try TemporaryFolder()
    let program = folder("gnuplot")
    try Executable.write("#!/bin/sh\n\(line) >&2\nexit 3\n", to: program)
    let figure = try SampleDocuments.run(fling: 200).figure(.frames)
    #expect(throws: ReportError.gnuplotFailed(status: 3, message: message)) {
      try ChartRenderer(searchPath: [folder.path])
        .draw(figure, format: .png, to: folder("a.png"))
    }
  }

  @Test func `a failure of gnuplot is reported with its message`() throws {
    try expectFailure(of: "echo broken", saying: "broken")
  }

  @Test func `gnuplot ignores the settings of the user`() throws {
    try expectFailure(of: "echo \"$1\"", saying: "--default-settings")
  }

  @Test func `gnuplot reads and writes files without names`() throws {
    // proc(5) ends the link of such a file with " (deleted)".
    try expectFailure(
      of: "readlink /proc/$$/fd/0 /proc/$$/fd/1 | sed 's/.* //'", saying: "(deleted) (deleted)")
  }

  @Test(arguments: [("a.png", ChartFormat.png), ("A.SVG", .svg)])
  func `the file name extension determines the chart format`(path: String, format: ChartFormat) {
    #expect(ChartFormat(path: path) == format)
    #expect(ChartFormat(path: "a.pdf") == nil)
  }
}
