internal import PerfModel

/// The text of a source file.
public struct SourceText: Sendable {
  /// The lines.
  public let lines: [String]
  /// A sentence about lines that may differ from those of the run; nil if they do not.
  public let note: String?

  /// Creates a text.
  public init(lines: [String], note: String?) {
    self.lines = lines
    self.note = note
  }
}

/// The source lines of a function in a page.
struct SourceListing: Sendable {
  /// The id of the element.
  let id: String
  /// The key of the function.
  let key: String
  let name: String
  /// The file and its share of the CPU time.
  let place: String
  let table: Table
  let note: String?
}

extension RunDocument {
  /// The maximum number of functions whose lines a page contains.
  private static let listingLimit = 40

  /// Returns the document with the source lines of the functions with the most CPU time.
  ///
  /// - Parameter text: Returns the text of a source file by its path; nil if it cannot be read.
  /// - Returns: The document, whose page contains these lines.
  public func withSources(_ text: (String) -> SourceText?) -> RunDocument {
    guard let whole = run.profile else { return self }
    let profile = folding.apply(to: whole)
    var texts: [String: SourceText?] = [:]
    var document = self
    let hot = HotFunctions(profile)
    document.sources = hot.functions.prefix(Self.listingLimit).enumerated()
      .compactMap { number, entry -> SourceListing? in
        guard let file = entry.function.file else { return nil }
        let source = texts[file] ?? text(file)
        texts[file] = source
        guard let source else { return nil }
        let lines = SourceLines(of: entry.function, in: profile, launches: run.sampled.count)
        guard lines.lines.keys.contains(where: { $0 > 0 }) else { return nil }
        return SourceListing(
          id: "source-\(number)", key: entry.function.key, name: entry.function.name,
          place: "\(file), self \(Wording.share(entry.own.time, of: hot.total))",
          table: lines.table(source.lines, id: "lines-\(number)").titled(""), note: source.note)
      }
    return document
  }
}
