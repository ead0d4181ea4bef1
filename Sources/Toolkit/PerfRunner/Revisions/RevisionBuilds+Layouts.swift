internal import Foundation
internal import PerfModel
internal import PerfProfile

extension RevisionBuilds {
  /// Links the programs of a build with further layouts, and keeps a copy of each link.
  ///
  /// - Parameters:
  ///   - revision: The revision.
  ///   - tree: The built tree.
  ///   - place: The folder of the build, which contains the folder of each link.
  ///   - lock: The lock of the builds.
  ///   - begin: Called with the path of the log before the first link.
  /// - Returns: The folders of the links, the first layout first.
  /// - Throws: `RevisionError`, or `CancellationError` if the user stopped.
  func linked(
    _ revision: GitCheckout.Revision, tree: String, in place: String, _ lock: BuildLock,
    begin: (_ log: String) -> Void
  ) throws -> [String] {
    guard recipe.layouts > 0 else { return [] }
    let files = FileManager.default
    let log = place + "/link.log"
    let folders = (1...recipe.layouts).map { "\(place)/layouts/\($0)" }
    let missing = folders.enumerated().filter { !files.fileExists(atPath: $0.element) }
    if !missing.isEmpty { begin(log) }
    for (index, folder) in missing {
      do {
        try run(
          recipe.linking(layout: index + 1), of: revision, tree: tree, log: log, lock)
      } catch RevisionError.buildFailed(let revision, let command, let log, let tail) {
        throw RevisionError.linkFailed(
          revision: revision, command: command, log: log, tail: tail)
      }
      do {
        try Self.copy("\(recipe.folder(in: tree))/\(recipe.products)", to: folder)
      } catch {
        throw RevisionError.notWritable(
          path: folder, reason: ErrorReason.clause(error.localizedDescription))
      }
    }
    return folders
  }

  /// Copies the programs and libraries of a folder, and links to its other files and folders.
  ///
  /// So a program finds its libraries and resources beside itself. The copy appears when it is complete.
  private static func copy(_ products: String, to folder: String) throws {
    let files = FileManager.default
    let part = folder + ".part"
    try? files.removeItem(atPath: part)
    try files.createDirectory(atPath: part, withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: products) {
      let (source, target) = ("\(products)/\(name)", "\(part)/\(name)")
      if RevisionBuild.isLinked(source) {
        try files.copyItem(atPath: (source as NSString).resolvingSymlinksInPath, toPath: target)
      } else {
        try files.createSymbolicLink(atPath: target, withDestinationPath: source)
      }
    }
    try files.moveItem(atPath: part, toPath: folder)
  }
}

extension RevisionBuild {
  /// Returns whether a program is in the tree, or is one of its links with other layouts.
  public func contains(_ program: String) -> Bool {
    ([tree] + layouts).contains { program.hasPrefix($0 + "/") }
  }

  /// Returns the links of a program with other layouts.
  ///
  /// - Parameter program: The path of a program in the folder of built programs.
  /// - Returns: A path for each layout.
  /// - Throws: `RevisionError.notLinked` for another program, or `sameLayout`.
  public func links(of program: String) throws(RevisionError) -> [String] {
    let (path, folder) = (Self.real(program), Self.real(products))
    let links = layouts.map { "\($0)/\(path.dropFirst(folder.count + 1))" }
    guard path.hasPrefix(folder + "/"), links.allSatisfy(Self.isLinked) else {
      throw .notLinked(program: program, products: products)
    }
    let images = links.prefix(2).map { try? ProgramImage(path: $0) }
    guard images.count < 2 || images[0] != images[1] else { throw .sameLayout(program: program) }
    return links
  }

  private static func real(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  /// Returns whether a file is the output of a linker: an executable or a shared library, by elf(5).
  public static func isLinked(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    guard let head = try? file.read(upToCount: 18), head.count == 18 else { return false }
    return head.prefix(4).elementsEqual([0x7F, 0x45, 0x4C, 0x46]) && [2, 3].contains(head[16])
  }
}
