/// A part of a gate that one of several machines measures.
public struct GateShard: Hashable, Sendable, CustomStringConvertible {
  /// The most shards of a gate.
  public static let most = 1000
  /// The number of the shard, from 1.
  public let number: Int
  /// The number of all shards.
  public let count: Int

  /// Creates a shard; nil unless `number` is from 1 to `count` and `count` at most `most`.
  public init?(_ number: Int, of count: Int) {
    guard (1...Self.most).contains(count), (1...count).contains(number) else { return nil }
    (self.number, self.count) = (number, count)
  }

  /// Reads a shard such as `2/8`; nil for other texts.
  public init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([0-9]+)\/([0-9]+)/), let number = Int(match.1),
      let count = Int(match.2)
    else { return nil }
    self.init(number, of: count)
  }

  /// The shard as on the command line, such as `2/8`.
  public var description: String { "\(number)/\(count)" }

  /// The shard in words, such as `shard 2 of 8`.
  var title: String { "shard \(number) of \(count)" }

  /// The name of the file with the results, such as `gate-shard-2-of-8.json`.
  public var fileName: String { "gate-shard-\(number)-of-\(count).json" }

  /// Returns whether a file has the name of a shard's results.
  static func isFileName(_ name: String) -> Bool {
    name.wholeMatch(of: /gate-shard-[0-9]+-of-[0-9]+\.json/) != nil
  }

  /// Splits names into parts of about the same duration.
  ///
  /// The longest name is assigned first, always to the part that has the least so far (Graham,
  /// Bounds on Multiprocessing Timing Anomalies, 1969, doi:10.1137/0117039). Among equals, the first name
  /// and the first part count, so that equal arguments have equal results.
  ///
  /// - Parameters:
  ///   - names: The names, each once.
  ///   - count: The number of parts.
  ///   - duration: Returns the duration of a name, in any unit; nil if it is unknown. An unknown name
  ///     counts with the mean of the known ones.
  /// - Returns: The names of each part, in their order.
  static func split(
    _ names: [String], into count: Int, by duration: (String) -> Double?
  ) -> [[String]] {
    let durations = names.map(duration)
    let known = durations.compactMap(\.self)
    let usual = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
    let items = durations.enumerated().map { (index: $0.offset, length: $0.element ?? usual) }
    var lengths = [Double](repeating: 0, count: count)
    var parts = [[Int]](repeating: [], count: count)
    for item in items.sorted(by: { ($1.length, $0.index) < ($0.length, $1.index) }) {
      let part = lengths.indices.min { lengths[$0] < lengths[$1] } ?? 0
      lengths[part] += item.length
      parts[part].append(item.index)
    }
    return parts.map { part in part.sorted().map { names[$0] } }
  }
}
