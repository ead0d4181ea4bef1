/// The lines of source files that differ between two revisions.
public struct SourceHunks: Hashable, Sendable, Codable {
  /// The changed lines of one side, by the file's path from the root of the repository.
  public typealias Lines = [String: [ClosedRange<Int>]]

  /// The largest distance of a hunk from the sampled lines of a function that it may belong to.
  ///
  /// Lines that take no time have no samples, such as the declarations at a function's start.
  static let reach = 20

  /// The lines of the base that the change removed or replaced.
  public private(set) var base: Lines = [:]
  /// The lines of the candidate that the change added or replaced.
  public private(set) var candidate: Lines = [:]

  /// Reads a unified diff, as `git diff --unified=0` prints it.
  ///
  /// A side without lines in a hunk gets both lines around the place. Files whose path git quotes
  /// are left out.
  public init(diff: String) {
    var paths = (old: String?.none, new: String?.none)
    // The lines of a hunk are skipped: a removed `-- a` looks like the header of a file.
    var skipped = 0
    // As characters, a carriage return and its line break would be one.
    let lines = diff.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for line in lines.map({ Substring($0) }) {
      if skipped > 0 {
        if !line.hasPrefix("\\") { skipped -= 1 }
      } else if line.hasPrefix("--- ") {
        paths.old = Self.path(line, after: "--- a/")
      } else if line.hasPrefix("+++ ") {
        paths.new = Self.path(line, after: "+++ b/")
      } else if line.hasPrefix("@@ -") {
        let words = line.split(separator: " ")
        guard words.count > 2, let old = Self.place(words[1]), let new = Self.place(words[2])
        else { continue }
        skipped = old.count + new.count
        if let path = paths.old { base[path, default: []].append(Self.lines(old)) }
        if let path = paths.new { candidate[path, default: []].append(Self.lines(new)) }
      }
    }
  }

  /// The number of changed places on both sides.
  public var count: Int {
    (Array(base.values) + Array(candidate.values)).reduce(0) { $0 + $1.count }
  }

  private static func path(_ line: Substring, after prefix: String) -> String? {
    // Git ends a path with spaces by a tab.
    line.hasPrefix(prefix)
      ? String(line.dropFirst(prefix.count).prefix { $0 != "\t" }) : nil
  }

  /// Returns start and count of `-12,3`, `+12,3` or `-12`.
  private static func place(_ word: Substring) -> (start: Int, count: Int)? {
    let parts = word.dropFirst().split(separator: ",").map { Int($0) }
    guard let first = parts.first, let start = first else { return nil }
    guard parts.count > 1 else { return (start, 1) }
    return parts[1].map { (start, max(0, $0)) }
  }

  private static func lines(_ place: (start: Int, count: Int)) -> ClosedRange<Int> {
    place.start...(place.start + (place.count == 0 ? 1 : place.count - 1))
  }

  // MARK: - Functions

  /// Returns the keys of the functions whose lines changed.
  ///
  /// The debug information of the samples names files and lines. A hunk touches the functions whose
  /// sampled lines surround or overlap it; if there are none, the nearest ones in the file before
  /// and after it, within `reach` lines.
  public func functions(in old: Profile, _ new: Profile) -> Set<String> {
    Self.functions(in: old, at: base).union(Self.functions(in: new, at: candidate))
  }

  private static func functions(in profile: Profile, at changes: Lines) -> Set<String> {
    let files = sampledLines(of: profile)
    var touched: Set<String> = []
    for (path, hunks) in changes {
      let matching = files.keys.filter { $0 == path || $0.hasSuffix("/" + path) }
      guard let file = matching.min(by: { ($0.utf8.count, $0) < ($1.utf8.count, $1) }),
        let functions = files[file]
      else { continue }
      for hunk in hunks {
        let inside = functions.filter { $0.value.overlaps(hunk) }.map(\.key)
        touched.formUnion(inside)
        guard inside.isEmpty else { continue }
        let before = functions.filter {
          $0.value.upperBound < hunk.lowerBound && hunk.lowerBound - $0.value.upperBound <= reach
        }.max { $0.value.upperBound < $1.value.upperBound }
        let after = functions.filter {
          $0.value.lowerBound > hunk.upperBound && $0.value.lowerBound - hunk.upperBound <= reach
        }.min { $0.value.lowerBound < $1.value.lowerBound }
        touched.formUnion([before, after].compactMap { $0?.key })
      }
    }
    return touched
  }

  /// Returns the first and last sampled line of each function, by file and key.
  private static func sampledLines(of profile: Profile) -> [String: [String: ClosedRange<Int>]] {
    var files: [String: [String: ClosedRange<Int>]] = [:]
    for node in profile.nodes where node.line > 0 {
      let function = profile.functions[node.function]
      guard let file = function.file else { continue }
      let known = files[file]?[function.key] ?? node.line...node.line
      files[file, default: [:]][function.key] =
        min(known.lowerBound, node.line)...max(known.upperBound, node.line)
    }
    return files
  }
}
