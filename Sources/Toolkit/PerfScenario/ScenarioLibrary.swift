internal import Foundation

/// The scenario files of a folder.
public struct ScenarioLibrary: Sendable {
  /// A file of the folder with its scenario or error.
  public struct Entry: Sendable {
    /// The file's name without its extension, which is the scenario's name.
    public let name: String
    /// The path of the file.
    public let path: String
    /// The scenario, or the error.
    public let result: Result<ScenarioFile, ScenarioError>
  }

  /// The folder as given.
  public let folder: String
  /// The working directory if it decides the folder, or nil; a missing folder is then looked for above.
  public var workingDirectory: String?

  /// Creates a library without reading the folder.
  public init(folder: String) {
    self.folder = folder
  }

  /// Returns the names of the scenarios in alphabetical order.
  ///
  /// - Throws: `ScenarioError.folder` if the folder cannot be listed; `.belowProject` if it is missing and a
  ///   folder above the working directory has a `perfkit.yml`.
  public func names() throws(ScenarioError) -> [String] {
    let files: [String]
    guard FileManager.default.fileExists(atPath: folder) else {
      if let project = workingDirectory.flatMap(ProjectFile.folder(above:)) {
        throw .belowProject(folder: folder, project: project)
      }
      throw .folder(path: folder, reason: "there is no such folder")
    }
    guard FileManager.default.isReadableFile(atPath: folder) else {
      throw .folder(path: folder, reason: "permission denied")
    }
    do {
      files = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw .folder(path: folder, reason: "it is not a folder")
    }
    return Self.names(of: files)
  }

  /// Returns the names of the scenarios among files, in alphabetical order.
  ///
  /// - Parameter files: The names or paths of all files of a folder.
  /// - Returns: The names of the `.yml` files that are not hidden.
  public static func names(of files: [String]) -> [String] {
    files.map { ($0 as NSString).lastPathComponent }
      .filter { $0.hasSuffix(".yml") && !$0.hasPrefix(".") }
      .map(ScenarioFile.stem).sorted()
  }

  /// Reads all files; an invalid file does not affect the others.
  ///
  /// - Returns: An entry for each `.yml` file, by name.
  /// - Throws: `ScenarioError.folder` if the folder cannot be listed.
  public func entries() throws(ScenarioError) -> [Entry] {
    try names().map { name in
      let path = path(of: name)
      let result = Result { () throws(ScenarioError) in try ScenarioFile(path: path) }
      return Entry(name: name, path: path, result: result)
    }
  }

  /// Reads a scenario by its name, or a file by its path.
  ///
  /// - Parameter reference: A name, or a path with a `/` or the extension `.yml`.
  /// - Returns: The file.
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name, `.folder`, or the error of
  ///   the file.
  public func file(_ reference: String) throws(ScenarioError) -> ScenarioFile {
    if reference.contains("/") || reference.hasSuffix(".yml") {
      return try ScenarioFile(path: reference)
    }
    let known = try names()
    guard known.contains(reference) else {
      throw .unknownScenario(reference, folder: folder, known: known)
    }
    return try ScenarioFile(path: path(of: reference))
  }

  private func path(of name: String) -> String {
    (folder.hasSuffix("/") ? folder : folder + "/") + name + ".yml"
  }
}
