internal import Foundation

/// The scenario files of a folder.
public struct ScenarioLibrary: Sendable {
  /// A file of the folder with what was found in it.
  public struct Entry: Sendable {
    /// The file's name without its ending, which is the scenario's name.
    public let name: String
    /// The file.
    public let path: String
    /// The scenario, or what is wrong with the file.
    public let result: Result<ScenarioFile, ScenarioError>
  }

  /// The folder as it was given.
  public let folder: String

  /// Creates a library; nothing is read yet.
  public init(folder: String) {
    self.folder = folder
  }

  /// Returns the names of the `.yml` files, in alphabetical order.
  ///
  /// - Throws: `ScenarioError.folder` when the folder cannot be listed.
  public func names() throws(ScenarioError) -> [String] {
    let files: [String]
    guard FileManager.default.fileExists(atPath: folder) else {
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
  /// - Parameter files: The names, or paths, of all files of a folder.
  /// - Returns: Those of its `.yml` files that are not hidden.
  public static func names(of files: [String]) -> [String] {
    files.map { ($0 as NSString).lastPathComponent }
      .filter { $0.hasSuffix(".yml") && !$0.hasPrefix(".") }
      .map(ScenarioFile.stem).sorted()
  }

  /// Reads all files; a broken one does not hide the others.
  ///
  /// - Returns: An entry for each `.yml` file, by name.
  /// - Throws: `ScenarioError.folder` when the folder cannot be listed.
  public func entries() throws(ScenarioError) -> [Entry] {
    try names().map { name in
      let path = path(of: name)
      let result = Result { () throws(ScenarioError) in try ScenarioFile(path: path) }
      return Entry(name: name, path: path, result: result)
    }
  }

  /// Reads a scenario by its name, or a file by its path.
  ///
  /// - Parameter reference: A name, or anything with a `/` or the ending `.yml`.
  /// - Returns: The file.
  /// - Throws: `ScenarioError.unknownScenario` with the nearest name, `.folder`, or what is wrong
  ///   with the file.
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
