internal import Foundation
internal import PerfModel
internal import PerfStatistics

/// A model of the noise in the times of consecutive launches.
enum SimulatedNoise: String, CaseIterable {
  /// Lognormal, 1.2 % in the ratio of two launches: the core of the recorded noise.
  case core
  /// A level that drifts by 2.7 % with a memory of 20 launches.
  case drift
  /// Launches in a fast or a slow state, 43 % apart, with slow spells of some hundred pairs.
  case twoState = "two states"
  /// One launch in twenty is slower by an exponential 8 %.
  case heavyTails = "heavy tails"
  /// Core noise, drift, two states and heavy tails together.
  case together
  /// Core noise plus six tenths of the CPU's pace.
  case pace
}

/// A source of the logarithms of consecutive launches' times.
struct NoiseSource {
  private let noise: SimulatedNoise
  private var generator: SeededGenerator
  private var level = 0.0
  private var pace = 0.0
  private var isSlowSpell: Bool
  private var spare: Double?
  /// The factor of the core noise.
  private let spread: Double

  init(_ noise: SimulatedNoise, seed: UInt64, spread: Double = 1) {
    self.noise = noise
    self.spread = spread
    generator = SeededGenerator(seed: seed)
    isSlowSpell = generator.next() & 1 == 0
    level = normal() * Self.driftSpread
    pace = normal() * Self.paceSpread
  }

  // The spread between launches on GitHub's hosted runners is 2.66 %.
  private static let driftSpread = 0.0266
  private static let memory = exp(-1 / 20.0)
  private static let slowStep = log(64.5 / 45)
  // The CPU's pace, which is measured before each launch, varies by 4 % with a memory of two
  // launches.
  private static let paceSpread = 0.04
  private static let paceMemory = exp(-1 / 2.0)

  /// Returns the next logarithm, which is 0 for a launch without noise.
  mutating func next() -> Double {
    var value = normal() * spread * 0.012 / 2.0.squareRoot()
    if noise == .drift || noise == .together {
      level =
        level * Self.memory
        + normal() * Self.driftSpread * (1 - Self.memory * Self.memory).squareRoot()
      value += level
    }
    pace =
      pace * Self.paceMemory
      + normal() * Self.paceSpread * (1 - Self.paceMemory * Self.paceMemory).squareRoot()
    if noise == .pace { value += 0.6 * pace }
    if noise == .twoState || noise == .together {
      // 8 launches per pair.
      if generator.nextUniform() < 1 / 400.0 { isSlowSpell.toggle() }
      if generator.nextUniform() < (isSlowSpell ? 0.6 : 0.05) { value += Self.slowStep }
    }
    if noise == .heavyTails || noise == .together, generator.nextUniform() < 0.05 {
      value -= 0.08 * log(1 - generator.nextUniform())
    }
    return value
  }

  /// Returns a pair of four launches per side in random order; the candidate is slower by a factor.
  mutating func pair(_ factor: Double) -> LaunchPair {
    var base: [LaunchPair.Values] = []
    var candidate: [LaunchPair.Values] = []
    while base.count + candidate.count < 8 {
      let left = Double(8 - base.count - candidate.count)
      let isBase = generator.nextUniform() * left < Double(4 - base.count)
      let time = exp(next()) * (isBase ? 1 : factor)
      // The pace measurement has an independent error.
      let values = [
        RuleStudy.metric.name: time, MetricName.paceCPU: exp(pace + 0.01 * normal()),
      ]
      if isBase { base.append(values) } else { candidate.append(values) }
    }
    return LaunchPair(base: base, candidate: candidate)
  }

  /// Returns the factor by which a layout moves the candidate relative to the base, each by a normal
  /// deviation.
  mutating func layout(_ deviation: Double) -> Double { exp(deviation * (normal() - normal())) }

  /// Returns a pair in which a share of the launches of each side takes 1.8 times as long.
  mutating func modes(_ base: Double, _ candidate: Double) -> LaunchPair {
    func side(_ share: Double, _ source: inout NoiseSource) -> [LaunchPair.Values] {
      (0..<4).map { _ in
        let isSlow = source.generator.nextUniform() < share
        return [RuleStudy.metric.name: exp(source.next()) * (isSlow ? 1.8 : 1)]
      }
    }
    return LaunchPair(base: side(base, &self), candidate: side(candidate, &self))
  }

  /// Returns a pair without a change, in which some launches have a hitch of 8 on average.
  ///
  /// - Parameters:
  ///   - share: The share of launches with a hitch.
  ///   - slow: The share in a slow spell, which affects both sides of a pair.
  /// - Returns: The pair.
  mutating func hitches(_ share: Double, slow: Double) -> LaunchPair {
    func side(_ source: inout NoiseSource) -> [LaunchPair.Values] {
      (0..<4).map { _ in
        let isHitch = source.generator.nextUniform() < (source.isSlowSpell ? slow : share)
        let length = -8 * log(1 - source.generator.nextUniform())
        return [RuleStudy.hitches.name: isHitch ? length : 0]
      }
    }
    // As long as the slow spells of the launches' times.
    if generator.nextUniform() < 1 / 50.0 { isSlowSpell.toggle() }
    return LaunchPair(base: side(&self), candidate: side(&self))
  }

  private mutating func normal() -> Double {
    if let value = spare {
      spare = nil
      return value
    }
    // Box and Muller 1958, doi:10.1214/aoms/1177706645.
    let radius = (-2 * log(1 - generator.nextUniform())).squareRoot()
    let angle = 2 * Double.pi * generator.nextUniform()
    spare = radius * sin(angle)
    return radius * cos(angle)
  }
}

/// The times of the launches of both sides of a pair.
typealias LaunchPairValues = (base: [Double], candidate: [Double])
