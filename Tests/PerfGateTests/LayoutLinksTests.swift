import Foundation
import PerfTestSupport
import Testing

@testable import PerfRunner

/// The links of built programs with other layouts.
@Suite(.serialized)
struct LayoutLinksTests {
  private let repository: TestRepository
  private let checkout: GitCheckout

  init() throws {
    repository = try TestRepository()
    checkout = try GitCheckout(
      containing: repository.root, variables: ProcessInfo.processInfo.environment)
  }

  private static let compile = [
    ["mkdir", "-p", "bin/data"],
    ["clang", "-O1", "-ffunction-sections", "-c", "work.c", "-o", "bin/work.o"],
  ]
  private static let link = [
    ["clang", "-fuse-ld=lld", "{layout}", "bin/work.o", "-o", "bin/work"]
  ]

  private func build(
    _ layouts: Int, link: [[String]] = Self.link, begin: (String) -> Void = { _ in }
  ) throws -> RevisionBuild {
    try RevisionBuilds(
      of: checkout,
      recipe: BuildRecipe(
        commands: Self.compile, products: "bin", toolchain: [], link: link, layouts: layouts),
      folder: checkout.root + "/.perfkit/builds",
      variables: ProcessInfo.processInfo.environment
    ).build(checkout.revision("HEAD"), begin: begin)
  }

  /// Returns the order of the functions of a program.
  private func order(_ program: String) throws -> [String] {
    let run = try CommandRun(
      "/usr/bin/env", ["llvm-nm", "--numeric-sort", program], in: repository.root,
      environment: ProcessInfo.processInfo.environment, seconds: 60)
    return run.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
      .map(String.init).filter { ["decode_cover", "lay_out", "main"].contains($0) }
  }

  @Test func `each link has another order of functions, and its own copy of the program`() throws {
    // A short program: the work is that of the test.
    try repository.program(decode: 0, layout: 0)
    try repository.commit("Short")
    let built = try build(6)
    let links = try built.links(of: built.products + "/work")
    #expect(links.count == 6 && Set(links).count == 6)
    let orders = Set(try links.map(order))
    // Six links of three functions have one order in 6 of 6^6 cases; the seeds are constant.
    #expect(orders.count > 1 && orders.allSatisfy { $0.count == 3 })
    for link in links {
      let run = try CommandRun(link, [], in: repository.root, environment: [:], seconds: 60)
      #expect(run.status == 0)
    }
    // Other files are found beside the copy.
    #expect(FileManager.default.fileExists(atPath: built.layouts[0] + "/data"))
    #expect(built.contains(links[0]) && !built.contains("/bin/sh"))
  }

  @Test func `further links are added to a build, which is not compiled again`() throws {
    let first = try build(2)
    let image = try #require(FileManager.default.contents(atPath: first.layouts[0] + "/work"))
    var logs: [String] = []
    let more = try build(3) { logs.append(($0 as NSString).lastPathComponent) }
    #expect(more.wasCached && more.tree == first.tree && logs == ["link.log"])
    #expect(Array(more.layouts.prefix(2)) == first.layouts)
    #expect(FileManager.default.contents(atPath: more.layouts[0] + "/work") == image)
    #expect(try build(0).tree != first.tree && build(0).layouts == [])
  }

  @Test func `a link that ignores the layout is refused`() throws {
    let link = [["clang", "-fuse-ld=lld", "bin/work.o", "-o", "bin/work", "-DX={layout}"]]
    let built = try build(2, link: link)
    let program = built.products + "/work"
    #expect(throws: RevisionError.sameLayout(program: program)) { try built.links(of: program) }
  }

  @Test func `a program that is not linked anew is refused`() throws {
    let built = try build(2)
    for program in ["/bin/sh", built.products + "/data", built.tree + "/build.sh"] {
      #expect(throws: RevisionError.notLinked(program: program, products: built.products)) {
        try built.links(of: program)
      }
    }
  }

  @Test func `a failing link names its command and its log`() throws {
    let error = #expect(throws: RevisionError.self) {
      try build(2, link: [["clang", "-fuse-ld=lld", "{layout}", "missing.o"]])
    }
    let text = "\(try #require(error))"
    #expect(text.contains("cannot be linked with another layout") && text.contains("link.log"))
    #expect(text.contains("LLD 20") && text.contains("missing.o"))
  }

  @Test func `SwiftPM links by LLD, and only the linker's options differ between layouts`() {
    let recipe = BuildRecipe(
      commands: [["make", "data"], ["swift", "build", "-c", "release"]], products: "out",
      toolchain: [], layouts: 2)
    let compile = ["swift", "build", "-c", "release", "-Xswiftc", "-use-ld=lld"]
    #expect(recipe.canLink && recipe.compiling == [["make", "data"], compile])
    let link = recipe.linking(layout: 7)
    #expect(link.count == 1 && Array(link[0].prefix(6)) == compile)
    #expect(link[0].suffix(2) == ["-Xlinker", "--randomize-section-padding=7"])
    #expect(link[0].contains("--shuffle-sections=.text*=7"))
    #expect(!link[0].contains { $0.contains("swift5") || $0.contains("init_array") })
    #expect(!BuildRecipe(commands: [["make"]], products: "out", toolchain: [], layouts: 2).canLink)
  }
}
