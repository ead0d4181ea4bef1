/// The exact null distribution of a rank sum.
///
/// It stores probabilities instead of counts, so nothing overflows. Each is a sum of positive terms
/// and keeps its relative precision.
struct RankDistribution {
  /// P(statistic = s) for s = 0, 1, ....
  let probabilities: [Double]
  /// P(statistic <= s) for s = 0, 1, ....
  let cumulative: [Double]

  private init(probabilities: [Double]) {
    self.probabilities = probabilities
    var sum = 0.0
    cumulative = probabilities.map { probability in
      sum += probability
      return sum
    }
  }

  /// Creates the distribution of the signed rank sum: each score is included with probability 1/2.
  ///
  /// - Complexity: O(*n* *s*) for *n* scores of sum *s*.
  init(coinsOver scores: [Int]) {
    var probabilities = [1.0]
    for score in scores {
      var next = [Double](repeating: 0, count: probabilities.count + score)
      for (sum, probability) in probabilities.enumerated() {
        next[sum] += probability / 2
        next[sum + score] += probability / 2
      }
      probabilities = next
    }
    self.init(probabilities: probabilities)
  }

  /// Returns the distribution of the signed rank sum for a number of values without ties or zeros.
  ///
  /// Above `exactSigns` values it is the normal distribution with the same mean and variance, which
  /// takes O(*n*²) time instead of O(*n*³). Its tails of 0.0001 and more are less than 7 % larger.
  static func ofSigns(_ count: Int) -> RankDistribution {
    if count < signs.count { return signs[count] }
    guard count > exactSigns else { return RankDistribution(coinsOver: Array(1...count)) }
    let most = count * (count + 1) / 2
    let (mean, size) = (Double(most) / 2, Double(count))
    let deviation = (size * (size + 1) * (2 * size + 1) / 24).squareRoot()
    var below = 0.0
    let half = (0...most / 2).map { sum in
      let until = Distributions.normalCumulative((Double(sum) + 0.5 - mean) / deviation)
      defer { below = until }
      return until - below
    }
    // The distribution is symmetric; the middle sum of an odd number of sums is its own mirror.
    let mirrored = most.isMultiple(of: 2) ? half.dropLast() : half[...]
    return RankDistribution(probabilities: half + mirrored.reversed())
  }

  /// The most values whose signed rank sum has its exact distribution.
  static let exactSigns = 400

  /// The distributions that sequential comparisons use repeatedly.
  private static let signs = (0...SignedRank.exactLimit).map { count in
    RankDistribution(coinsOver: Array(0..<count).map { $0 + 1 })
  }

  /// Creates the distribution of the Mann-Whitney U for sample sizes without ties.
  ///
  /// The recurrence: the largest of all values belongs to the first sample with probability m / (m
  /// + n), and then exceeds all n values of the second.
  ///
  /// - Complexity: O(*m*² *n*²) time, O(*m* *n*²) memory.
  init(mannWhitney first: Int, _ second: Int) {
    let (large, small) = (max(first, second), min(first, second))
    // row[n] is the distribution for the current m and n.
    var row = [[Double]](repeating: [1], count: small + 1)
    for m in 1...max(large, 1) {
      var next: [[Double]] = [[1]]
      for n in 1...max(small, 1) where n <= small {
        var merged = [Double](repeating: 0, count: m * n + 1)
        let (share, rest) = (Double(m) / Double(m + n), Double(n) / Double(m + n))
        for (u, probability) in row[n].enumerated() { merged[u + n] += share * probability }
        for (u, probability) in next[n - 1].enumerated() { merged[u] += rest * probability }
        next.append(merged)
      }
      row = next
    }
    self.init(probabilities: row[small])
  }

  /// Creates the rank sum's distribution with ties: `count` scores are drawn without replacement.
  ///
  /// - Complexity: O(*N* *count* *s*) for *N* scores of sum *s*.
  init(drawing count: Int, from scores: [Int]) {
    let total = scores.reduce(0, +)
    // taken[k][s] is the probability that k of the scores so far were drawn, with sum s, in a
    // random order.
    var taken = [[Double]](
      repeating: [Double](repeating: 0, count: total + 1), count: count + 1)
    taken[0][0] = 1
    for (seen, score) in scores.enumerated() {
      let left = Double(scores.count - seen)
      for k in stride(from: min(count, seen + 1), through: 0, by: -1) {
        let keep = 1 - Double(count - k) / left
        var sums = taken[k].map { $0 * max(0, keep) }
        if k > 0 {
          let chance = Double(count - k + 1) / left
          for s in score...total where taken[k - 1][s - score] > 0 {
            sums[s] += chance * taken[k - 1][s - score]
          }
        }
        taken[k] = sums
      }
    }
    self.init(probabilities: taken[count])
  }

  /// Returns P(statistic <= s).
  func atMost(_ s: Int) -> Double {
    if s < 0 { return 0 }
    return s < cumulative.count ? min(1, cumulative[s]) : 1
  }

  /// Returns P(statistic >= s).
  func atLeast(_ s: Int) -> Double {
    // The tail is summed directly: 1 - P(<= s - 1) would lose a small tail to rounding.
    guard s > 0 else { return 1 }
    guard s < probabilities.count else { return 0 }
    return min(1, probabilities[s...].reversed().reduce(0, +))
  }

  /// Returns the number of smallest statistics whose total probability is at most `tail`.
  func countBelow(tail: Double) -> Int { PerfStatistics.countBelow(tail: tail, in: cumulative) }
}

/// The relative tolerance for comparing rounded probabilities.
let roundingSlack = 1 + 1e-12

/// Returns the number of cumulative probabilities that are at most `tail`.
func countBelow(tail: Double, in cumulative: [Double]) -> Int {
  cumulative.prefix { $0 <= tail * roundingSlack }.count
}
