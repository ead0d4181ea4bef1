/// A chart, independent of how it is drawn.
///
/// `SVGFigure` and `GnuplotScript` draw it.
public struct Figure: Hashable, Sendable {
  /// A short ID without spaces, unique in its report.
  public let id: String
  /// The heading.
  public let title: String
  /// One or two sentences with the numbers of the figure, for readers who cannot see it.
  public let summary: String
  /// The panels, side by side or one above the other.
  public let panels: [Panel]

  /// Creates a figure.
  public init(id: String, title: String, summary: String, panels: [Panel]) {
    self.id = id
    self.title = title
    self.summary = summary
    self.panels = panels
  }
}

/// A coordinate system with its layers.
public struct Panel: Hashable, Sendable {
  /// The width of a panel.
  public enum Shape: Hashable, Sendable {
    /// The full width of the page.
    case wide
    /// Half of the width of the page.
    case half
  }

  /// The heading; may be empty.
  public let title: String
  /// The horizontal axis.
  public let x: Axis
  /// The vertical axis.
  public let y: Axis
  /// The layers, the first at the bottom.
  public let layers: [Layer]
  /// The width.
  public let shape: Shape

  /// Creates a panel.
  public init(title: String, x: Axis, y: Axis, layers: [Layer], shape: Shape = .wide) {
    self.title = title
    self.x = x
    self.y = y
    self.layers = layers
    self.shape = shape
  }

  /// Returns the panel with another width.
  func shaped(_ shape: Shape) -> Panel {
    Panel(title: title, x: x, y: y, layers: layers, shape: shape)
  }
}

/// An axis with the unit in its label.
public struct Axis: Hashable, Sendable {
  /// The label, such as `cost (ms)`.
  public let label: String
  /// The range of values.
  public let range: ClosedRange<Double>
  /// Row names, the first at 0; empty for an axis of numbers.
  public let categories: [String]

  /// Creates an axis of numbers; an empty range is widened.
  public init(label: String, range: ClosedRange<Double>) {
    self.label = label
    let (low, high) = (range.lowerBound, range.upperBound)
    self.range = high > low ? range : low - 0.5...high + 0.5
    categories = []
  }

  /// Creates an axis of named rows.
  public init(label: String, categories: [String]) {
    self.label = label
    range = -0.5...max(Double(categories.count) - 0.5, 0.5)
    self.categories = categories
  }
}

/// A set of marks with one meaning.
public struct Layer: Hashable, Sendable {
  /// The meaning of marks, which determines colour and stroke.
  public enum Role: String, Hashable, Sendable, CaseIterable {
    /// The data of a single run.
    case primary
    /// The data of the base.
    case base
    /// The data of the candidate.
    case candidate
    /// A regression or a violation.
    case bad
    /// An improvement.
    case good
    /// Background information.
    case muted
    /// A limit, such as a budget.
    case limit
  }

  /// A point in the units of the axes.
  public struct Point: Hashable, Sendable {
    /// The horizontal coordinate.
    public let x: Double
    /// The vertical coordinate.
    public let y: Double

    /// Creates a point.
    public init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A horizontal interval with a mark at the estimate, in a row.
  public struct Interval: Hashable, Sendable {
    /// The row, an index into the vertical axis' categories.
    public let row: Int
    /// The estimate.
    public let value: Double
    /// The lower limit.
    public let low: Double
    /// The upper limit.
    public let high: Double

    /// Returns whether the interval continues beyond the edges of an axis, which is drawn as
    /// arrows.
    func continues(beyond range: ClosedRange<Double>) -> (left: Bool, right: Bool) {
      (min(low, value) < range.lowerBound, max(high, value) > range.upperBound)
    }
  }

  /// A horizontal bar from one value to another, in a row.
  public struct Bar: Hashable, Sendable {
    /// The row, an index into the vertical axis' categories.
    public let row: Int
    /// The start.
    public let from: Double
    /// The end, which may be smaller than the start.
    public let to: Double
  }

  /// The marks.
  public enum Marks: Hashable, Sendable {
    /// Bars from zero with a width of one pixel.
    case impulses([Point])
    /// Adjacent bars of equal width; a point is a lower left edge and a height.
    case boxes([Point], width: Double)
    /// A polyline.
    case line([Point])
    /// A step line.
    case steps([Point])
    /// Dots.
    case dots([Point])
    /// Horizontal intervals in rows.
    case intervals([Interval])
    /// Bars in rows, which need not start at zero.
    case bars([Bar])
    /// A horizontal line.
    case horizontal(Double)
    /// A vertical line.
    case vertical(Double)
    /// A shaded vertical stripe.
    case stripe(ClosedRange<Double>)
    /// A shaded horizontal stripe.
    case band(ClosedRange<Double>)
  }

  /// The name in the legend; nil for no entry.
  public let name: String?
  /// The meaning of the marks.
  public let role: Role
  /// The marks.
  public let marks: Marks
  /// Whether the marks are drawn faintly.
  public let isFaint: Bool

  /// Creates a layer.
  public init(_ name: String?, _ role: Role, _ marks: Marks, isFaint: Bool = false) {
    self.name = name
    self.role = role
    self.marks = marks
    self.isFaint = isFaint
  }
}
