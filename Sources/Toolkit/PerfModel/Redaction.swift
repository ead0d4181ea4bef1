/// Patterns of secrets whose matches are never stored.
///
/// A run or comparison is stored with `[redacted]` in place of each match in command lines, parameters, facts and
/// messages.
public struct Redaction: Hashable, Sendable {
  /// A pattern that cannot be used.
  public struct Problem: Error, CustomStringConvertible {
    /// The pattern and the reason.
    public let description: String
  }

  /// The text in place of a match.
  public static let mark = "[redacted]"
  /// The option whose value is a pattern, and may contain a secret itself.
  public static let option = "--redact"

  private let patterns: [String]

  /// Redacts nothing.
  public static let none = Redaction()

  private init() { patterns = [] }

  /// Takes over regular expressions.
  ///
  /// - Throws: `Problem` for an invalid expression, and for one that matches an empty text.
  public init(_ patterns: [String]) throws(Problem) {
    for pattern in patterns {
      guard let regex = try? Regex(ofUser: pattern) else {
        throw Problem(description: "'\(pattern)' is no regular expression")
      }
      guard "".firstMatch(of: regex) == nil else {
        throw Problem(description: "'\(pattern)' matches an empty text, which is everywhere")
      }
    }
    self.patterns = patterns
  }

  /// Returns a text with the mark in place of each match.
  public func callAsFunction(_ text: String) -> String {
    patterns.reduce(text) { text, pattern in
      (try? Regex(ofUser: pattern)).map { text.replacing($0, with: Self.mark) } ?? text
    }
  }

  /// Returns the words of a command line, without the values of `--redact`.
  public func callAsFunction(_ words: [String]) -> [String] {
    guard !patterns.isEmpty else { return words }
    var isPattern = false
    return words.map { word in
      defer { isPattern = word == Self.option }
      if isPattern { return Self.mark }
      return word.hasPrefix(Self.option + "=") ? "\(Self.option)=\(Self.mark)" : self(word)
    }
  }

  /// Returns texts with their names.
  public func callAsFunction(_ texts: [String: String]) -> [String: String] {
    guard !patterns.isEmpty else { return texts }
    return Dictionary(texts.map { (self($0.key), self($0.value)) }) { first, _ in first }
  }

  /// Returns a run, as it is stored.
  public func callAsFunction(_ run: Run) -> Run {
    guard !patterns.isEmpty else { return run }
    var profile = run.profile
    if let audit = profile?.audit {
      var audit = audit
      audit.warnings = self(audit.warnings)
      profile = profile?.with(audit)
    }
    return Run(
      id: run.id, scenario: run.scenario, variant: run.variant, label: run.label.map { self($0) },
      started: run.started, seed: run.seed,
      parameters: run.parameters.mapValues { value in
        guard case .string(let text) = value else { return value }
        return .string(self(text))
      }, command: self(run.command),
      environment: Environment(facts: run.environment.facts.mapValues { self($0) }),
      definitions: run.definitions, launches: run.launches.map { self($0) }, budgets: run.budgets,
      profile: profile, work: run.work, warnings: self(run.warnings),
      wasInterrupted: run.wasInterrupted)
  }

  /// Returns a launch, as it is stored.
  public func callAsFunction(_ launch: Launch) -> Launch {
    guard case .failed(let message) = launch.status, !patterns.isEmpty else { return launch }
    return Launch(
      index: launch.index, isWarmup: launch.isWarmup, status: .failed(self(message)),
      offset: launch.offset, metrics: launch.metrics, series: launch.series, frames: launch.frames,
      began: launch.began, spans: launch.spans)
  }

  private func callAsFunction(_ warnings: [RunWarning]) -> [RunWarning] {
    warnings.map {
      RunWarning(code: $0.code, message: self($0.message), remedy: self($0.remedy))
    }
  }
}
