/// The instructions for building a project of a tree.
public struct BuildRecipe: Hashable, Sendable {
  /// Programs with their arguments, run in order in the project's folder.
  public let commands: [[String]]
  /// The folder of the built programs, relative to the project's folder.
  public let products: String
  /// The project's folder, from the root and with a slash at its end; empty for the root.
  public let place: String
  /// A command whose output identifies the toolchain; empty for none.
  public let toolchain: [String]
  /// The commands that link the programs anew, with `LinkCommand.layoutMark` for the options; empty for SwiftPM's.
  public let link: [[String]]
  /// The number of links with other layouts; 0 for the build's own link.
  public let layouts: Int

  /// The environment variables that contain flags for builds; runs are stored with their values.
  static let flagVariables = [
    "CARGO_ENCODED_RUSTFLAGS", "CC", "CFLAGS", "CGO_CFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS",
    "CPPFLAGS", "CXX", "CXXFLAGS", "FFLAGS", "GOFLAGS", "LDFLAGS", "RUSTFLAGS", "SWIFTFLAGS",
    "SWIFT_EXEC", "TOOLCHAINS",
  ]

  /// Creates a recipe.
  public init(
    commands: [[String]], products: String, toolchain: [String], place: String = "",
    link: [[String]] = [], layouts: Int = 0
  ) {
    self.place = place
    self.link = link
    self.layouts = layouts
    self.commands = commands
    self.products = products
    self.toolchain = toolchain
  }

  /// Returns the project's folder in a tree.
  public func folder(in tree: String) -> String {
    place.isEmpty ? tree : "\(tree)/\(place.dropLast())"
  }

  /// Describes the build of a tree.
  ///
  /// - Parameter variables: The environment variables of the build.
  /// - Returns: The variables with flags and the commands, in one line.
  public func flags(_ variables: [String: String]) -> String {
    let given = Self.flagVariables.compactMap { name in
      variables[name].map { "\(name)=\(Self.quoted($0))" }
    }
    let commands = (compiling + (layouts > 0 ? link : [])).map {
      $0.map(Self.quoted).joined(separator: " ")
    }
    return (given + [commands.joined(separator: "; ")]).joined(separator: " ")
  }

  /// Returns the version of the toolchain.
  ///
  /// - Parameters:
  ///   - root: The working directory of the command.
  ///   - variables: The environment variables of the build.
  /// - Returns: The output in one line; nil if the recipe has no such command or it fails.
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

  /// Returns the path of a program that builds a tree.
  static func program(
    _ name: String, in tree: String, _ variables: [String: String]
  ) throws(RevisionError) -> String {
    if name.hasPrefix("/") { return name }
    // As in a shell, a name with a slash is a path relative to the working directory.
    if name.contains("/") { return "\(tree)/\(name)" }
    guard let path = ProgramFinder.path(of: name, variables) else {
      throw .buildToolNotFound(name)
    }
    return path
  }

  /// Returns a word, quoted if it could be read as several words.
  private static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || "\"';\\".contains($0) }
    return isPlain ? word : word.debugDescription
  }
}
