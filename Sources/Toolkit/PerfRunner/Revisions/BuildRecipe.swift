/// How a tree is built.
public struct BuildRecipe: Hashable, Sendable {
  /// Programs with their arguments, run at the root of the tree in order.
  public let commands: [[String]]
  /// The folder that the programs lie in then, from the root.
  public let products: String
  /// A command whose output tells toolchains apart; empty for none.
  public let toolchain: [String]

  /// The variables by which users give flags to what builds.
  private static let flagVariables = [
    "CARGO_ENCODED_RUSTFLAGS", "CC", "CFLAGS", "CGO_CFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS",
    "CPPFLAGS", "CXX", "CXXFLAGS", "FFLAGS", "GOFLAGS", "LDFLAGS", "RUSTFLAGS", "SWIFTFLAGS",
    "SWIFT_EXEC", "TOOLCHAINS",
  ]

  /// Creates a recipe.
  public init(commands: [[String]], products: String, toolchain: [String]) {
    self.commands = commands
    self.products = products
    self.toolchain = toolchain
  }

  /// Says what a tree is built by.
  ///
  /// - Parameter variables: The environment variables of the build.
  /// - Returns: The variables that hold flags, and the commands, in one line.
  public func flags(_ variables: [String: String]) -> String {
    let given = Self.flagVariables.compactMap { name in
      variables[name].map { "\(name)=\(Self.quoted($0))" }
    }
    let commands = commands.map { $0.map(Self.quoted).joined(separator: " ") }
    return (given + [commands.joined(separator: "; ")]).joined(separator: " ")
  }

  /// Asks the toolchain for its version.
  ///
  /// - Parameters:
  ///   - root: The folder that it is asked in.
  ///   - variables: The environment variables of the build.
  /// - Returns: What it says, in one line; nil when the recipe has no such command, or it fails.
  /// - Throws: `RevisionError.buildToolNotFound`.
  public func version(
    in root: String, variables: [String: String]
  ) throws(RevisionError) -> String? {
    guard let name = toolchain.first else { return nil }
    let program = try Self.program(name, in: root, variables)
    let run = try? CommandRun(
      program, Array(toolchain.dropFirst()), in: root, environment: variables, seconds: 60)
    guard let run, run.status == 0, !run.output.isEmpty else { return nil }
    return run.output.split(whereSeparator: \.isNewline).joined(separator: ", ")
  }

  /// The path of a program that builds a tree.
  static func program(
    _ name: String, in tree: String, _ variables: [String: String]
  ) throws(RevisionError) -> String {
    if name.hasPrefix("/") { return name }
    // As in a shell: with a slash it is a place, from where the build runs.
    if name.contains("/") { return "\(tree)/\(name)" }
    guard let path = ProgramFinder.path(of: name, variables) else {
      throw .buildToolNotFound(name)
    }
    return path
  }

  /// A word that cannot be taken for two.
  private static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || "\"';\\".contains($0) }
    return isPlain ? word : word.debugDescription
  }
}
