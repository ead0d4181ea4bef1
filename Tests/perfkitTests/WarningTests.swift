import Foundation
import Testing

/// The page of warnings and the codes in the sources.
struct WarningTests {
  /// Files with names that look like codes: metrics, and facts of the environment.
  private static let others: Set<String> = ["MetricName.swift", "Environment.swift"]

  /// Returns the codes of warnings in a Swift file.
  ///
  /// - Parameters:
  ///   - text: The text of the file.
  ///   - kinds: The first words of known codes. Literals that begin with them are codes, too, if they are values.
  /// - Returns: The codes.
  private static func codes(in text: String, kinds: Set<Substring>) -> Set<String> {
    let parts = text.components(separatedBy: "\"")
    var codes: Set<String> = []
    for index in parts.indices.dropFirst() where parts[index].utf8.count < 40 {
      let literal = parts[index]
      let before = parts[index - 1].trimmingCharacters(in: .whitespacesAndNewlines)
      if literal.wholeMatch(of: /[a-z_]+/) != nil {
        // The helper of the sampler's warnings, and the reasons why sampling ended.
        let isReason = index + 2 < parts.count && parts[index + 2].hasPrefix("sampling ended")
        if before.hasSuffix("warn(") || isReason { codes.insert("sampler.\(literal)") }
      } else if literal.wholeMatch(of: /[a-z_]+\.[a-z_]+/) != nil, !literal.hasSuffix(".yml") {
        let isValue = before.last.map { "=?:".contains($0) } ?? false
        let isKnown = literal.split(separator: ".").first.map { kinds.contains($0) } ?? false
        if before.hasSuffix("code:") || isValue && isKnown { codes.insert(literal) }
      }
    }
    return codes
  }

  @Test func `the page of warnings lists each code of the sources once`() throws {
    let page = try #require(DocumentFile("Documentation/Warnings.md"))
    let listed = page.text.matches(of: /\n\| `([a-z_]+\.[a-z_]+)` \|/).map { String($0.1) }
    #expect(Set(listed).count == listed.count)
    let kinds = Set(listed.compactMap { $0.split(separator: ".").first })
    var used: Set<String> = []
    for folder in ["Sources/Toolkit", "Sources/Programs/perfkit"] {
      let root = DocumentFile.root.appendingPathComponent(folder)
      let files = try #require(FileManager.default.enumerator(atPath: root.path))
      for case let name as String in files where name.hasSuffix(".swift") {
        guard !Self.others.contains((name as NSString).lastPathComponent) else { continue }
        let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
        used.formUnion(Self.codes(in: text, kinds: kinds))
      }
    }
    #expect(used.subtracting(listed).sorted() == [], "codes that the page lacks")
    #expect(Set(listed).subtracting(used).sorted() == [], "codes that no source has")
  }
}
