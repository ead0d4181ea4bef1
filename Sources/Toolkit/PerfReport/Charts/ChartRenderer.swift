/// Something that draws a figure into a file.
public protocol ChartRenderer: Sendable {
  /// Draws a figure; an existing file is replaced whole or not at all.
  ///
  /// - Throws: What `ReportError` names.
  func draw(_ figure: Figure, format: ChartFormat, to path: String) throws(ReportError)
}

/// Draws charts without another program; only as SVG.
public struct BuiltInChartRenderer: ChartRenderer {
  /// Creates a renderer.
  public init() {}

  /// Draws a figure as SVG.
  ///
  /// - Throws: `ReportError.gnuplotMissing` for a PNG, `ReportError.cannotWrite`.
  public func draw(
    _ figure: Figure, format: ChartFormat, to path: String
  ) throws(ReportError) {
    guard format == .svg else { throw .gnuplotMissing }
    try DocumentFile.write(SVGFigure.document(figure), to: path)
  }
}

/// Draws charts by a first renderer, and SVG by ourselves where that one is missing.
public struct FallbackChartRenderer: ChartRenderer {
  private let first: any ChartRenderer

  /// Creates a renderer that asks another one first, by default gnuplot.
  public init(_ first: any ChartRenderer = GnuplotRenderer()) {
    self.first = first
  }

  /// Draws a figure; a missing gnuplot matters only to PNG.
  ///
  /// - Throws: What the first renderer throws, but for SVG without gnuplot.
  public func draw(
    _ figure: Figure, format: ChartFormat, to path: String
  ) throws(ReportError) {
    do {
      try first.draw(figure, format: format, to: path)
    } catch ReportError.gnuplotMissing where format == .svg {
      try BuiltInChartRenderer().draw(figure, format: format, to: path)
    }
  }
}
