/// The file by which a CI service runs the gate.
struct CIFile {
  /// The path from the root of the repository.
  let path: String
  /// The path of the same file in PerfKit's repository.
  let source: String
  let text: String

  /// Chooses the file by the hosts of a repository's remotes; nil for other services.
  init?(remotes: [String]) {
    let hosts = remotes.compactMap(Self.host)
    func contain(_ name: String) -> Bool { hosts.contains { $0.contains(name) } }
    if contain("github") {
      path = ".github/workflows/perfkit.yml"
      source = "Sources/Programs/perfkit/Resources/github.yml"
      text = Self.text(of: PackageResources.github_yml)
    } else if contain("gitlab") {
      path = ".gitlab-ci.yml"
      source = "Sources/Programs/perfkit/Resources/gitlab.yml"
      text = Self.text(of: PackageResources.gitlab_yml)
    } else {
      return nil
    }
  }

  /// Returns the host of `ssh://user@host:22/path` or `user@host:path`; nil for a folder.
  private static func host(of address: String) -> Substring? {
    let url = #/[a-z+]+:\/\/(?:[^@\/]*@)?([^:\/]+)/#
    let short = #/(?:[^@:\/]*@)?([^@:\/]+):/#
    return (address.prefixMatch(of: url) ?? address.prefixMatch(of: short))?.output.1
  }

  private static func text(of bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
