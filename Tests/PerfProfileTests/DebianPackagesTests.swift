import Foundation
import PerfTestSupport
import Testing

@testable import PerfProfile

/// The names of debug packages, from a made-up database of dpkg.
struct DebianPackagesTests {
  private func packages() throws -> (DebianPackages, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let lists = [
      "libturbojpeg0:amd64.list":
        "/.\n/usr\n/usr/lib/x86_64-linux-gnu/libturbojpeg.so.0.2.0\n/usr/share/doc\n",
      "libc6:amd64.list": "/.\n/lib/x86_64-linux-gnu/libc.so.6\n",
      "libc6:amd64.md5sums": "0  usr/bin/tool\n",
      "tool.list": "/.\n/usr/bin/tool-2\n/usr/bin/tool\n",
    ]
    for (name, text) in lists {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder(name)))
    }
    return (DebianPackages(folder: folder("")), folder)
  }

  @Test(arguments: [
    ("/usr/lib/x86_64-linux-gnu/libturbojpeg.so.0.2.0", "libturbojpeg0-dbgsym"),
    // The C library's package lists /lib, which is a link to /usr/lib.
    ("/usr/lib/x86_64-linux-gnu/libc.so.6", "libc6-dbg"), ("/usr/bin/tool", "tool-dbgsym"),
  ])
  func `an installed file has a debug package`(path: String, package: String) throws {
    let (packages, folder) = try packages()
    #expect(packages.debugPackage(of: path) == package)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: ["/usr/bin/too", "/opt/tool", "tool", "", "[vdso]"])
  func `a file of no package has no debug package`(path: String) throws {
    let (packages, folder) = try packages()
    #expect(packages.debugPackage(of: path) == nil)
    withExtendedLifetime(folder) {}
  }

  @Test func `another system has no debug packages`() {
    #expect(DebianPackages(folder: "/nowhere").debugPackage(of: "/usr/bin/tool") == nil)
  }

  @Test func `the warning about functions without names contains the package`() throws {
    let (packages, folder) = try packages()
    let path = "/usr/bin/tool"
    #expect(NamelessCode.remedy(for: path, in: packages).hasPrefix("Install tool-dbgsym, build"))
    #expect(
      NamelessCode.remedy(for: "/opt/own", in: packages)
        .hasPrefix("Install the debug package of the file (-dbgsym), build"))
    withExtendedLifetime(folder) {}
  }
}
