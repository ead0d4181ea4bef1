internal import Foundation

/// A slide rule: scales on two sides and their values under a hairline.
struct SlideRule {
  /// The function that maps positions on a scale to values.
  enum Law: Hashable {
    /// A logarithmic scale with a number of decades.
    case decades(Double)
    /// A logarithmic scale with one decade from right to left.
    case inverse
    case linear
    /// The sine or tangent of an angle in degrees, in hundredths at the left end.
    case sine
    case tangent
    /// A double-logarithmic scale that starts at e to a power of ten.
    case logLog(Double)
    /// An empty scale that makes both sides equally high.
    case spacer
  }

  /// A scale with its ticks.
  struct Scale: Hashable {
    let name: String
    let law: Law
    /// The ticks from left to right; positions and lengths are in 0...1.
    let ticks: [Tick]
  }

  /// A tick of a scale.
  struct Tick: Hashable {
    let place: Double
    let length: Double
  }

  /// The upper stator, the slide or the lower stator of a side.
  struct Part: Hashable {
    /// A number that is unique per created part, like the identities of SwiftUI.
    let identity: Int
    let scales: [Scale]
  }

  /// The parts of the front and then of the back.
  private let parts: [[Scale]]

  /// Creates a slide rule with the scales of an engineer's rule.
  init() {
    parts = [
      [Self.scale("K", .decades(3), 250), Self.scale("A", .decades(2), 240)],
      [
        Self.scale("B", .decades(2), 240), Self.scale("CI", .inverse, 200),
        Self.scale("C", .decades(1), 200),
      ],
      [Self.scale("D", .decades(1), 200), Self.scale("L", .linear, 100)],
      [Self.scale("LL1", .logLog(0.01), 230), Self.scale("LL2", .logLog(0.1), 230)],
      [
        Self.scale("S", .sine, 170), Self.scale("T", .tangent, 150),
        Self.scale("C", .decades(1), 200),
      ],
      [
        Self.scale("D", .decades(1), 200), Self.scale("LL3", .logLog(1), 260),
        Self.scale("K", .decades(3), 250),
      ],
    ]
  }

  /// Returns the parts with equal heights on both sides: the model of the views.
  ///
  /// `identity` is the identity of the first part; the other parts get the following numbers.
  func balanced(identity: Int) -> [Part] {
    let half = parts.count / 2
    return parts.indices.map { index in
      let opposite = parts[(index + half) % parts.count].count
      let missing = max(0, opposite - parts[index].count)
      let spacers = (0..<missing).map { Scale(name: "-\($0)", law: .spacer, ticks: []) }
      return Part(identity: identity + index, scales: parts[index] + spacers)
    }
  }

  /// Returns the values of all scales at a position of the hairline in 0...1.
  func readings(at place: Double) -> CursorReadings {
    CursorReadings(values: parts.flatMap { part in part.map { Self.value(of: $0.law, at: place) } })
  }

  private static func scale(_ name: String, _ law: Law, _ count: Int) -> Scale {
    let ticks = (0...count).map { number in
      let length = number.isMultiple(of: 10) ? 1 : number.isMultiple(of: 5) ? 0.7 : 0.45
      return Tick(place: place(of: law, share: Double(number) / Double(count)), length: length)
    }
    return Scale(name: name, law: law, ticks: ticks.sorted { $0.place < $1.place })
  }

  /// Returns the position of the value at a fraction of the range of a scale.
  private static func place(of law: Law, share: Double) -> Double {
    switch law {
    case .decades(let decades): log10(1 + share * (pow(10, decades) - 1)) / decades
    case .inverse: 1 - log10(1 + share * 9)
    case .linear, .spacer: share
    case .sine: log10(sin((5.74 + share * 84.26) * .pi / 180) * 10)
    case .tangent: log10(tan((5.71 + share * 39.29) * .pi / 180) * 10)
    case .logLog(let start):
      log10(log(exp(start) + share * (exp(10 * start) - exp(start))) / start)
    }
  }

  private static func value(of law: Law, at place: Double) -> Double {
    switch law {
    case .decades(let decades): pow(10, place * decades)
    case .inverse: 10 / pow(10, place)
    case .linear: place
    case .spacer: 0
    case .sine: asin(min(1, pow(10, place - 1))) * 180 / .pi
    case .tangent: atan(pow(10, place - 1)) * 180 / .pi
    case .logLog(let start): exp(start * pow(10, place))
    }
  }
}

/// The values of all scales under the hairline.
struct CursorReadings: Hashable {
  let values: [Double]

  static let empty = CursorReadings(values: [])

  /// The displayed texts, with three decimals.
  var texts: [String] { values.map { String(format: "%.3f", $0) } }
}
