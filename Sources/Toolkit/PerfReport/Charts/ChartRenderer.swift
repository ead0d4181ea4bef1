/// A renderer that draws figures into files.
public protocol ChartRenderer: Sendable {
  /// Draws a figure; an existing file is replaced atomically.
  ///
  /// - Throws: `ReportError`.
  func draw(_ figure: Figure, format: ChartFormat, to path: String) throws(ReportError)
}

/// The renderer of charts without other programs, for SVG only.
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

/// A renderer that falls back to the built-in one for SVG if gnuplot is missing.
public struct FallbackChartRenderer: ChartRenderer {
  private let first: any ChartRenderer

  /// Creates a renderer with the preferred renderer, gnuplot by default.
  public init(_ first: any ChartRenderer = GnuplotRenderer()) {
    self.first = first
  }

  /// Draws a figure; a missing gnuplot is an error only for PNG.
  ///
  /// - Throws: The errors of the preferred renderer, except for SVG without gnuplot.
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
