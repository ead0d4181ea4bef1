import Testing

@testable import PerfScenario

/// The dependency of the worker's package on PerfKit.
struct PackageDependencyTests {
  @Test(arguments: [
    (#".package(path: "../perfkit")"#, #".package(path: "../../perfkit")"#),
    (#".package(name: "PerfKit", path: "tools/PerfKit")"#, #".package(path: "../tools/PerfKit")"#),
    (#".package(path: "/opt/perfkit")"#, #".package(path: "/opt/perfkit")"#),
    (
      #".package(url: "https://example.org/perfkit", .upToNextMajor(from: "0.1.0"))"#,
      #".package(url: "https://example.org/perfkit", .upToNextMajor(from: "0.1.0"))"#
    ),
    (
      ".package(\n  url: \"git@example.org:shelf/perfkit.git\",\n  branch: \"main\")",
      ".package(url: \"git@example.org:shelf/perfkit.git\",\n  branch: \"main\")"
    ),
  ])
  func `a dependency on PerfKit is found, and a relative path starts from a folder of the project`(
    found: String, text: String
  ) throws {
    let manifest = """
      let package = Package(
        name: "Shelf",
        dependencies: [.package(url: "https://example.org/perfkit-books", from: "2.0.0"), \(found)])
      """
    let dependency = try #require(PackageDependency(in: manifest))
    #expect(dependency.text == text)
    #expect(dependency.name == "perfkit")
    #expect(dependency.path == nil)
  }

  @Test(arguments: [
    "", #".package(path: "../books")"#, #".package(path: "\(root)/perfkit")"#,
    #".product(name: "PerfWorkload", package: "perfkit")"#,
  ])
  func `a manifest without such a dependency has none`(manifest: String) {
    #expect(PackageDependency(in: manifest) == nil)
  }
}
