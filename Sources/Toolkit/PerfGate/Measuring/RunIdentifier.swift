public import PerfModel

/// Makes the ids of runs.
public enum RunIdentifier {
  /// Digits and letters that do not look alike (Crockford's base 32).
  private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

  /// The random bits: runs of many machines may begin in the same millisecond.
  private static let randomBits = 20

  /// Returns a new id: `r`, nine digits of the time in milliseconds, four random digits.
  ///
  /// Ids sort by time. The leading `r` distinguishes them from commits, which are hexadecimal.
  /// Earlier versions made ids with two random digits.
  public static func make(at time: Timestamp) -> String {
    var random = SystemRandomNumberGenerator()
    return make(at: time, using: &random)
  }

  static func make(at time: Timestamp, using random: inout some RandomNumberGenerator) -> String {
    let part = UInt64.random(in: 0..<1 << randomBits, using: &random)
    var rest = UInt64(time.milliseconds) << randomBits | part
    var text: [Character] = []
    for _ in 0..<13 {
      text.append(digits[Int(rest & 31)])
      rest >>= 5
    }
    return "r" + String(text.reversed())
  }
}
