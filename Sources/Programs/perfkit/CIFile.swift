/// The file by which a CI service runs the gate.
struct CIFile {
  /// The path from the root of the repository.
  let path: String
  let text: String

  /// Chooses the file by the addresses of a repository's remotes; nil for other services.
  init?(remotes: [String]) {
    func contain(_ name: String) -> Bool { remotes.contains { $0.contains(name) } }
    if contain("github") {
      path = ".github/workflows/perfkit.yml"
      text = Self.text(of: PackageResources.github_yml)
    } else if contain("gitlab") {
      path = ".gitlab-ci.yml"
      text = Self.text(of: PackageResources.gitlab_yml)
    } else {
      return nil
    }
  }

  private static func text(of bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
