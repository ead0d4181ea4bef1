public import PerfModel

/// Makes the ids of runs.
public enum RunIdentifier {
  /// Digits and letters that do not look alike (Crockford's base 32).
  private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

  /// Returns a new id: `r`, nine digits of the time in milliseconds, two random digits.
  ///
  /// Ids sort by time. The leading `r` distinguishes them from commits, which are hexadecimal.
  public static func make(at time: Timestamp) -> String {
    var rest = UInt64(time.milliseconds) << 10 | UInt64.random(in: 0..<1024)
    var text: [Character] = []
    for _ in 0..<11 {
      text.append(digits[Int(rest & 31)])
      rest >>= 5
    }
    return "r" + String(text.reversed())
  }
}
