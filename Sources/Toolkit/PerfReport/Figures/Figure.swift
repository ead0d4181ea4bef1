internal import PerfModel

/// A chart, independent of how it is drawn.
///
/// `SVGFigure` and `GnuplotScript` draw it.
public struct Figure: Hashable, Sendable {
  /// A short ID without spaces, unique in its report.
  let id: String
  let title: String
  /// One or two sentences with the numbers of the figure, for readers who cannot see it.
  let summary: String
  let panels: [Panel]

  func titled(_ title: String) -> Figure {
    Figure(id: id, title: title, summary: summary, panels: panels)
  }
}

/// A coordinate system with its layers.
struct Panel: Hashable {
  /// The width: that of the page, or half of it.
  enum Shape: Hashable {
    case wide, half
  }

  /// The heading; may be empty.
  let title: String
  let x: Axis
  let y: Axis
  /// The layers, the first at the bottom.
  let layers: [Layer]
  var shape = Shape.wide
}

/// An axis with the unit in its label.
struct Axis: Hashable {
  /// The label, such as `cost (ms)`.
  let label: String
  let range: ClosedRange<Double>
  /// Row names, the first at 0; empty for an axis of numbers.
  let categories: [String]

  /// Creates an axis of numbers; an empty range is widened.
  init(label: String, range: ClosedRange<Double>) {
    self.label = label
    let (low, high) = (range.lowerBound, range.upperBound)
    self.range = high > low ? range : low - 0.5...high + 0.5
    categories = []
  }

  init(label: String, categories: [String]) {
    self.label = label
    range = -0.5...max(Double(categories.count) - 0.5, 0.5)
    self.categories = categories
  }
}

/// A set of marks with one meaning.
struct Layer: Hashable {
  /// The meaning of marks, which determines colour and stroke.
  enum Role: String {
    /// The data of a single run.
    case primary
    case base, candidate
    /// A regression or a violation.
    case bad
    /// An improvement.
    case good
    /// Background information.
    case muted
    /// A limit, such as a budget.
    case limit

    /// Creates the role of a change; `other` is that of an undecided or insignificant one.
    init(_ verdict: ComparisonVerdict?, other: Role) {
      switch verdict {
      case .improved: self = .good
      case .regressed: self = .bad
      default: self = other
      }
    }
  }

  /// A point in the units of the axes.
  struct Point: Hashable {
    let x: Double
    let y: Double

    init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A horizontal interval with a mark at the estimate, in a row of the vertical axis.
  struct Interval: Hashable {
    let row: Int
    let value: Double
    let low: Double
    let high: Double

    /// Returns whether the interval continues beyond the edges of an axis, which is drawn as
    /// arrows.
    func continues(beyond range: ClosedRange<Double>) -> (left: Bool, right: Bool) {
      (min(low, value) < range.lowerBound, max(high, value) > range.upperBound)
    }
  }

  /// A horizontal bar in a row of the vertical axis; its end may be smaller than its start.
  struct Bar: Hashable {
    let row: Int
    let from: Double
    let to: Double
  }

  enum Marks: Hashable {
    /// Bars from zero with a width of one pixel.
    case impulses([Point])
    /// Adjacent bars of equal width; a point is a lower left edge and a height.
    case boxes([Point], width: Double)
    case line([Point])
    case steps([Point])
    case dots([Point])
    case intervals([Interval])
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
  let name: String?
  let role: Role
  let marks: Marks
  let isFaint: Bool

  init(_ name: String?, _ role: Role, _ marks: Marks, isFaint: Bool = false) {
    self.name = name
    self.role = role
    self.marks = marks
    self.isFaint = isFaint
  }
}
