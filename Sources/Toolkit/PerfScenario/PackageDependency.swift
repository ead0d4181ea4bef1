internal import Foundation

/// A dependency of the worker's package on PerfKit, in the words of a manifest.
public struct PackageDependency: Hashable, Sendable {
  /// The call in the manifest, such as `.package(path: "../../perfkit")`.
  let text: String
  /// The name of the package in the dependencies of targets.
  let name: String
  /// The absolute path of a package of this machine; nil for a dependency of the project.
  public let path: String?

  /// Creates a dependency on a package of this machine.
  ///
  /// - Parameter path: The absolute path of the package.
  public init(path: String) {
    text = ".package(path: \"\(path)\")"
    name = (path as NSString).lastPathComponent
    self.path = path
  }

  /// Finds the dependency on PerfKit in the manifest of a project; nil for none.
  ///
  /// A relative path in the manifest starts from the project. In the dependency, it starts from a
  /// folder of the project.
  init?(in manifest: String) {
    let call =
      #/\.package\(\s*(?:name:\s*"[^"]*",\s*)?(url|path):\s*"([^"\\]+)"((?:[^()]|\([^()]*\))*)\)/#
    let matches = manifest.matches(of: call)
    guard let match = matches.first(where: { Self.isPerfKit(String($0.output.2)) }) else {
      return nil
    }
    let (_, kind, place, requirement) = match.output
    let isRelative = !place.contains(":") && !place.hasPrefix("/") && !place.hasPrefix("~")
    text = ".package(\(kind): \"\(isRelative ? "../" : "")\(place)\"\(requirement))"
    name = "perfkit"
    path = nil
  }

  /// Returns whether SwiftPM gives the package at a URL or path the name perfkit.
  private static func isPerfKit(_ place: String) -> Bool {
    ["perfkit", "perfkit.git"].contains((place as NSString).lastPathComponent.lowercased())
  }
}
