import Foundation
import Testing

/// A Markdown document of the repository with its code blocks, commands and links.
struct DocumentFile: Sendable, CustomTestStringConvertible {
  /// The path from the root of the repository.
  let path: String
  let text: String

  var testDescription: String { path }

  /// The root of the repository.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Every document that is written by hand.
  static let all: [DocumentFile] = {
    let folders = ["", "Documentation/", "Documentation/Decisions/", "Sources/", "Reports/"]
    return folders.flatMap { folder in
      let names =
        (try? FileManager.default.contentsOfDirectory(
          atPath: root.appendingPathComponent(folder).path)) ?? []
      return names.filter { $0.hasSuffix(".md") }.sorted().compactMap { DocumentFile(folder + $0) }
    }
  }()

  /// Reads a document; returns nil when it cannot be read.
  init?(_ path: String) {
    guard
      let text = try? String(
        contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    else { return nil }
    self.path = path
    self.text = text
  }

  /// Returns the contents of the fenced code blocks of a language.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first.map { $0 + "\n" }
    }
  }

  /// The command lines that call perfkit or Scripts/perfkit, without their comments.
  var commandLines: [String] {
    let blocks = blocks("sh") + blocks("console")
    let indented = text.split(separator: "\n").filter { $0.hasPrefix("    ") }.map(String.init)
    return (blocks.flatMap { $0.split(separator: "\n").map(String.init) } + indented)
      .compactMap { line in
        var line = line.trimmingCharacters(in: .whitespaces)
        if line.hasPrefix("$ ") { line.removeFirst(2) }
        guard line.hasPrefix("perfkit ") || line.hasPrefix("Scripts/perfkit ") else { return nil }
        return line.components(separatedBy: " # ")[0].trimmingCharacters(in: .whitespaces)
      }
  }

  /// The targets of the Markdown links that point into the repository, without anchors.
  var links: [String] {
    text.components(separatedBy: "](").dropFirst().compactMap { rest in
      guard let target = rest.components(separatedBy: ")").first,
        !target.contains("://"), !target.hasPrefix("#")
      else { return nil }
      return target.components(separatedBy: "#")[0]
    }
  }
}

/// Splits a command line into words; double quotes keep spaces, as in a shell.
func shellWords(_ line: String) -> [String] {
  var words = [""]
  var isQuoted = false
  for character in line {
    switch character {
    case "\"": isQuoted.toggle()
    case " " where !isQuoted: words.append("")
    default: words[words.count - 1].append(character)
    }
  }
  return words.filter { !$0.isEmpty }
}
