internal import Foundation

/// The packages that a Debian system has installed.
///
/// The database is read without any program: a file per package lists the package's files (dpkg(1)).
struct DebianPackages {
  /// The folder of the file lists.
  var folder = "/var/lib/dpkg/info"

  /// Returns the package with the debug information of an installed file, such as
  /// `libturbojpeg0-dbgsym`.
  ///
  /// - Parameter path: The absolute path of the file, without links.
  /// - Returns: The name; nil if no package contains the file, or on another system.
  /// - Complexity: O(size of all lists), some 20 MB on a developer's machine.
  func debugPackage(of path: String) -> String? {
    let paths = Self.spellings(of: path).map { Data("\n\($0)\n".utf8) }
    guard !paths.isEmpty, let files = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return nil }
    let owner = files.sorted().first { file in
      guard file.hasSuffix(".list"),
        let list = FileManager.default.contents(atPath: "\(folder)/\(file)")
      else { return false }
      return paths.contains { list.range(of: $0) != nil }
    }
    // `libc6:amd64.list` belongs to the package libc6.
    guard let package = owner?.dropLast(".list".count).prefix(while: { $0 != ":" }) else {
      return nil
    }
    // glibc's packages predate the automatic ones.
    return package == "libc6" ? "libc6-dbg" : "\(package)-dbgsym"
  }

  /// Returns a path as lists may spell it: /lib is a link to /usr/lib today, but older packages list
  /// /lib.
  private static func spellings(of path: String) -> [String] {
    guard path.hasPrefix("/") else { return [] }
    return path.hasPrefix("/usr/")
      ? [path, String(path.dropFirst("/usr".count))] : [path, "/usr" + path]
  }
}
