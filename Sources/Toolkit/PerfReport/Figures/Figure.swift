/// A chart as a value: what is drawn, without how.
///
/// `SVGFigure` and `GnuplotScript` draw it.
public struct Figure: Hashable, Sendable {
  /// A short name without spaces, unique in its report.
  public let id: String
  /// The heading.
  public let title: String
  /// One or two sentences with the numbers that the picture shows, for who cannot see it.
  public let summary: String
  /// The coordinate systems, side by side or one above the other.
  public let panels: [Panel]

  /// Creates a figure.
  public init(id: String, title: String, summary: String, panels: [Panel]) {
    self.id = id
    self.title = title
    self.summary = summary
    self.panels = panels
  }
}

/// One coordinate system with what is drawn in it.
public struct Panel: Hashable, Sendable {
  /// How much room it takes.
  public enum Shape: Hashable, Sendable {
    /// As wide as the page.
    case wide
    /// Half of it.
    case half
  }

  /// Its heading; may be empty.
  public let title: String
  /// The horizontal axis.
  public let x: Axis
  /// The vertical axis.
  public let y: Axis
  /// What is drawn, the first at the bottom.
  public let layers: [Layer]
  /// How much room it takes.
  public let shape: Shape

  /// Creates a panel.
  public init(title: String, x: Axis, y: Axis, layers: [Layer], shape: Shape = .wide) {
    self.title = title
    self.x = x
    self.y = y
    self.layers = layers
    self.shape = shape
  }

  /// Returns the panel with another shape.
  func shaped(_ shape: Shape) -> Panel {
    Panel(title: title, x: x, y: y, layers: layers, shape: shape)
  }
}

/// An axis with its unit in its label.
public struct Axis: Hashable, Sendable {
  /// What it shows, as `cost (ms)`.
  public let label: String
  /// From its left or lower end to the other.
  public let range: ClosedRange<Double>
  /// Names of rows in place of numbers, the first at 0; empty for numbers.
  public let categories: [String]

  /// Creates an axis of numbers; a range without extent is widened.
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

/// Marks of one kind.
public struct Layer: Hashable, Sendable {
  /// What marks stand for; drawings choose colour and stroke by it.
  public enum Role: String, Hashable, Sendable, CaseIterable {
    case primary
    case base
    case candidate
    case bad
    case good
    case muted
    case limit
  }

  /// A point in the units of the axes.
  public struct Point: Hashable, Sendable {
    /// Along the horizontal axis.
    public let x: Double
    /// Along the vertical axis.
    public let y: Double

    /// Creates a point.
    public init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A horizontal bar from low to high with a mark at the estimate, in a row.
  public struct Interval: Hashable, Sendable {
    /// The row, an index into the vertical axis' categories.
    public let row: Int
    /// The estimate.
    public let value: Double
    /// Its lower end.
    public let low: Double
    /// Its upper end.
    public let high: Double

    /// Whether it goes on beyond the edges of an axis, which an arrow says there.
    func goesOn(beyond range: ClosedRange<Double>) -> (left: Bool, right: Bool) {
      (min(low, value) < range.lowerBound, max(high, value) > range.upperBound)
    }
  }

  /// A horizontal bar from one value to another, in a row.
  public struct Bar: Hashable, Sendable {
    /// The row, an index into the vertical axis' categories.
    public let row: Int
    /// Where it begins.
    public let from: Double
    /// Where it ends; may be lower.
    public let to: Double
  }

  /// The marks.
  public enum Marks: Hashable, Sendable {
    /// Bars from zero, as thin as a pixel.
    case impulses([Point])
    /// Bars of equal width side by side; each point is a lower left edge and a height.
    case boxes([Point], width: Double)
    case line([Point])
    /// A line that keeps its height until the next point.
    case steps([Point])
    case dots([Point])
    case intervals([Interval])
    /// Bars of rows, which need not begin at zero.
    case bars([Bar])
    /// A line across at a height.
    case horizontal(Double)
    /// A line from top to bottom.
    case vertical(Double)
    /// A shaded stripe from top to bottom.
    case stripe(ClosedRange<Double>)
    /// A shaded stripe across.
    case band(ClosedRange<Double>)
  }

  /// What the legend says; nil keeps it out.
  public let name: String?
  /// What the marks stand for.
  public let role: Role
  /// The marks.
  public let marks: Marks
  /// Whether it stands back behind the others.
  public let isFaint: Bool

  /// Creates a layer.
  public init(_ name: String?, _ role: Role, _ marks: Marks, isFaint: Bool = false) {
    self.name = name
    self.role = role
    self.marks = marks
    self.isFaint = isFaint
  }
}
