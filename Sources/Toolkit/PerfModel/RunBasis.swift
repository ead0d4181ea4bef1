/// The inputs that decide a run's results: the settings of its variant and its program.
public struct RunBasis: Hashable, Sendable {
  /// The parameters of the worker; empty for a command.
  public let parameters: Parameters
  /// The conditions that the harness creates, such as `device_budget=256000000`; nil in runs that did
  /// not record them.
  public let conditions: String?
  /// The identity of the program; nil if its file could not be read.
  public let program: String?

  /// Creates a basis.
  public init(parameters: Parameters, conditions: String?, program: String?) {
    self.parameters = parameters
    self.conditions = conditions
    self.program = program
  }

  /// Returns the changes since an earlier basis, each as a clause; empty if there are none.
  public func changes(since earlier: RunBasis) -> [String] {
    let names = Set(parameters.keys).union(earlier.parameters.keys).sorted()
    var changes = names.compactMap { name -> String? in
      switch (earlier.parameters[name], parameters[name]) {
      case (let old?, let new?): old == new ? nil : "\(name) changed from \(old) to \(new)"
      case (let old?, nil): "the parameter \(name) (\(old)) was removed"
      case (nil, let new?): "the parameter \(name) (\(new)) was added"
      case (nil, nil): nil
      }
    }
    if conditions != earlier.conditions {
      let old = earlier.conditions.map { "'\($0)'" } ?? "unknown ones"
      changes.append("the conditions changed from \(old) to '\(conditions ?? "")'")
    }
    if program == nil || program != earlier.program { changes.append("the program changed") }
    return changes
  }
}

extension Run {
  /// The inputs that decided the results.
  public var basis: RunBasis {
    RunBasis(
      parameters: parameters, conditions: environment[.conditions],
      program: environment[.buildIdentity])
  }
}
