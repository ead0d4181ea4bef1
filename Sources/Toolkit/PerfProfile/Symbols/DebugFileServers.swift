internal import Foundation
internal import PerfModel

/// The debuginfod servers, from which missing debug files are fetched into debuginfod's cache.
public struct DebugFileServers: Sendable {
  /// Why debug files cannot be fetched.
  public enum Obstacle: Error, CustomStringConvertible {
    case noServer
    case noProgram

    /// The reason and what to do.
    public var description: String {
      switch self {
      case .noServer:
        "DEBUGINFOD_URLS names no server. Set it to the servers of your distribution."
      case .noProgram: "there is no debuginfod-find. Install the package debuginfod."
      }
    }
  }

  /// The time limit of all downloads of a profile, in seconds.
  private static let seconds = 300

  private let path: String

  /// Finds `debuginfod-find`.
  ///
  /// - Parameter variables: The environment variables: DEBUGINFOD_URLS and PATH.
  /// - Throws: An obstacle.
  public init(variables: [String: String]) throws(Obstacle) {
    guard variables["DEBUGINFOD_URLS"]?.contains(where: { $0 != " " }) == true else {
      throw .noServer
    }
    let folders = (variables["PATH"] ?? "").split(separator: ":").map(String.init)
    guard let path = ToolPaths.executable("debuginfod-find", in: folders) else {
      throw .noProgram
    }
    self.path = path
  }

  /// The folder in which debuginfod's clients keep files; nil if it is unknown.
  ///
  /// - Note: debuginfod_find_debuginfo(3).
  static let cache: String? = {
    let variables = ProcessInfo.processInfo.environment
    if let path = variables["DEBUGINFOD_CACHE_PATH"] { return path }
    return (variables["XDG_CACHE_HOME"] ?? variables["HOME"].map { "\($0)/.cache" })
      .map { "\($0)/debuginfod_client" }
  }()

  /// Fetches the debug files of images.
  ///
  /// - Returns: Warnings about the files that no server has.
  func fetch(_ images: [ElfImage]) -> [RunWarning] {
    let deadline = ContinuousClock.now + .seconds(Self.seconds)
    var missing: [(path: String, reason: String)] = []
    for image in images {
      let left = Int((deadline - .now).components.seconds)
      guard left > 0 else {
        missing.append((image.path, "the time limit of \(Self.seconds) s is over"))
        continue
      }
      let tool = Tool(
        path: path, arguments: ["debuginfo", hexadecimal(image.buildID)], seconds: left,
        asksServers: true)
      do {
        _ = try tool.run("")
      } catch {
        missing.append((image.path, error.message))
      }
    }
    guard let first = missing.first else { return [] }
    return [
      RunWarning(
        code: "symbols.servers",
        message: "the servers in DEBUGINFOD_URLS lack the debug information of \(missing.count) of "
          + "\(images.count) files, e.g. of '\(first.path)': \(first.reason)",
        remedy: "Install the debug packages of these files (-dbgsym), or name other servers.")
    ]
  }
}
