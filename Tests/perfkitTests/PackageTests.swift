import Foundation
import PerfTestSupport
import Testing

@testable import perfkit

/// The Debian package, in a root that contains only the package and its declared dependencies.
struct PackageTests {
  private static let repository = DocumentFile.root.path

  /// Whether this process may mount and change its root.
  private static let mayChangeRoot =
    (try? TestRoot.run(
      "unshare", "--mount", "sh", "-c", "mount -t proc proc /proc && chroot / true"
    ).status) == 0

  /// A folder that becomes the root of a program.
  private struct TestRoot {
    let folder: TemporaryFolder

    /// Registers the dependencies, copies their libraries and those of their dependencies, and
    /// installs the package by dpkg, which would refuse one that lacks a dependency.
    init(package: String) throws {
      folder = try TemporaryFolder()
      let script = """
        set -euo pipefail
        database=$2/var/lib/dpkg
        mkdir -p "$2"/{proc,dev,tmp,usr/{bin,lib,lib64}} "$database"/{info,updates}
        for name in bin lib lib64; do [ ! -L /$name ] || ln -s usr/$name "$2/$name"; done
        mknod -m 666 "$2/dev/null" c 1 3
        wanted=$(dpkg-deb --field "$1" Depends)
        known=' '
        while [ -n "$wanted" ]; do
          names=$(tr , '\\n' <<<"$wanted" | sed 's/^ *\\([a-z0-9.+-]*\\).*/\\1/' | sort -u)
          wanted=
          for name in $names; do
            [[ $known != *" $name "* ]] || continue
            known+="$name "
            dpkg-query --status "$name" >>"$database/status"
            echo >>"$database/status"
            for file in $(dpkg --listfiles "$name" | grep '\\.so' || true); do
              place=$2$(realpath "$(dirname "$file")")
              mkdir -p "$place"
              [ ! -f "$file" ] || cp --no-dereference "$file" "$place"
            done
            wanted+=", $(dpkg-query --show --showformat='${Depends}' "$name")"
          done
        done
        dpkg --root="$2" --install "$1"
        """
      let (status, output) = try Self.run("bash", "-c", script, "root", package, folder.path)
      try #require(status == 0, "\(output)")
    }

    /// Runs a command line in the root, with /proc.
    func callAsFunction(_ words: String...) throws -> (status: Int32, output: String) {
      try Self.run(
        ["unshare", "--mount", "sh", "-c"]
          + [#"mount -t proc proc "$0/proc" && exec chroot "$0" "$@""#, folder.path] + words)
    }

    static func run(_ words: String...) throws -> (status: Int32, output: String) {
      try run(words)
    }

    static func run(_ words: [String]) throws -> (status: Int32, output: String) {
      try DocumentTests.run(words)
    }
  }

  @Test(
    .enabled(if: TestCommand.hasReleasePrograms, "PERFKIT_PROGRAMS is not set"),
    .enabled(if: mayChangeRoot, "this process may not change its root"))
  func `the packages run and measure, the Debian one in a root with its dependencies alone`() throws
  {
    let output = try TemporaryFolder()
    let (status, text) = try TestRoot.run("\(Self.repository)/Scripts/package", output.path)
    try #require(status == 0, "\(text)")
    let package = try #require(text.split(separator: "\n").first { $0.hasSuffix(".deb") })
    let root = try TestRoot(package: String(package))
    let version = try root("/usr/bin/perfkit", "--version")
    #expect(version == (0, perfkitVersion + "\n"))
    let run = try root(
      "/usr/bin/perfkit", "run", "--all", "--store", "/tmp/s.sqlite", "--no-report", "--iterations",
      "2",
      "--", "/usr/bin/perfkit", "--version")
    #expect(run.status == 0 && run.output.contains("cpu.total"), "\(run.output)")
    #expect(run.output.contains("Hot functions"), "the agent is loaded")
    let workloads = try root("/usr/bin/perfkit", "list", "workloads")
    #expect(workloads.output.contains("selftest.work"), "\(workloads.output)")
    try expectManifest(in: root.folder("usr/share/perfkit/PerfWorkload"))
    try expectDocuments(in: root.folder("usr/share/doc/perfkit"))
    #expect(
      FileManager.default.fileExists(
        atPath: root.folder("usr/share/zsh/vendor-completions/_perfkit")),
      "Debian's zsh searches this folder")

    let archive = try #require(text.split(separator: "\n").first { $0.hasSuffix(".tar.gz") })
    let prefix = try TemporaryFolder()
    let unpacked = try TestRoot.run("tar", "-xzf", String(archive), "-C", prefix.path)
    #expect(unpacked.status == 0, "\(unpacked.output)")
    let moved = try TestRoot.run(
      prefix("bin/perfkit"), "run", "--all", "--store", prefix("s.sqlite"), "--no-report",
      "--iterations", "2", "--", prefix("bin/perfkit"), "--version")
    #expect(moved.status == 0 && moved.output.contains("Hot functions"), "\(moved.output)")
  }

  @Test(.enabled(if: TestCommand.hasReleasePrograms, "PERFKIT_PROGRAMS is not set"))
  func `an installation that zsh does not search prints the line for its completions`() throws {
    let tools = try TemporaryFolder()
    try Executable.write("#!/bin/sh\necho /usr/share/zsh/vendor-completions\n", to: tools("zsh"))
    let prefix = try TemporaryFolder()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let installed = try TestRoot.run(
      "PATH=\(tools.path):\(path)", "\(Self.repository)/Scripts/install", "--prefix", prefix.path)
    #expect(installed.status == 0, "\(installed.output)")
    let completions = prefix("share/zsh/site-functions")
    #expect(installed.output.contains("fpath+=(\(completions))\n"), "\(installed.output)")
    #expect(FileManager.default.fileExists(atPath: completions + "/_perfkit"))
  }

  /// Expects a package for workers to be valid, and to have this repository's settings.
  private func expectManifest(in package: String) throws {
    let own = try String(contentsOfFile: "\(Self.repository)/Package.swift", encoding: .utf8)
    let end = try #require(own.firstRange(of: "\n]\n")).upperBound
    let manifest = try String(contentsOfFile: "\(package)/Package.swift", encoding: .utf8)
    #expect(manifest.hasPrefix(own[..<end]))
    #expect(own[..<end].contains("let settings: [SwiftSetting] = ["))
    let dumped = try TestRoot.run("swift", "package", "--package-path", package, "dump-package")
    #expect(dumped.status == 0, "\(dumped.output)")
  }

  /// Expects the pages that the README links to, all that they link to, and the schemas.
  private func expectDocuments(in folder: String) throws {
    func isInstalled(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(folder)/\(name)")
    }
    let pages = DocumentFile.all.filter { isInstalled($0.path) }
    #expect(pages.count > 100)
    for page in pages {
      let place = (page.path as NSString).deletingLastPathComponent
      for link in page.links {
        #expect(isInstalled("\(place)/\(link)"), "\(page.path) links to \(link)")
      }
    }
    #expect(isInstalled("Documentation/schemas/run.schema.json"))
  }

  @Test func `a prefix that cannot be written or loaded from is refused at once`() throws {
    let folder = try TemporaryFolder()
    try "".write(toFile: folder("file"), atomically: true, encoding: .utf8)
    let install = "\(Self.repository)/Scripts/install"
    try FileManager.default.createDirectory(
      atPath: folder("used"), withIntermediateDirectories: true)
    try "".write(toFile: folder("used/bin"), atomically: true, encoding: .utf8)
    // A file, a folder below a file, a folder of the kernel, and a folder that has a file named bin.
    for (prefix, named) in [
      (folder("file"), folder("file")), (folder("file/a"), folder("file/a")),
      ("/proc/perfkit", "/proc/perfkit"), (folder("used"), folder("used/bin")),
    ] {
      let refused = try TestRoot.run(install, "--prefix", prefix)
      #expect(refused.status == 2)
      #expect(refused.output.contains("cannot write to '\(named)'"), "\(refused.output)")
    }
    let colon = try TestRoot.run(install, "--prefix", folder("a:b"))
    #expect(colon.status == 2 && colon.output.contains("ld.so(8)"))
    let missing = try TestRoot.run(install, "--prefix")
    #expect(missing.status == 2 && missing.output.contains("--prefix needs a folder"))
    let package = try TestRoot.run("\(Self.repository)/Scripts/package", folder("file"))
    #expect(package.status == 2 && package.output.contains("cannot write to"))
  }
}
