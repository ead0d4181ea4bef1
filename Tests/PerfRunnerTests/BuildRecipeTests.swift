import Foundation
import Testing

@testable import PerfRunner

struct BuildRecipeTests {
  private func flags(_ commands: [[String]], _ variables: [String: String] = [:]) -> String {
    BuildRecipe(commands: commands, products: "bin", toolchain: []).flags(variables)
  }

  @Test func `the flags of a build contain its commands and the variables with flags`() {
    #expect(flags([["./configure"], ["make", "-j2"]]) == "./configure; make -j2")
    let variables = ["CFLAGS": "-O0 -g", "CC": "clang", "HOME": "/root"]
    #expect(flags([["make"]], variables) == #"CC=clang CFLAGS="-O0 -g" make"#)
  }

  @Test(arguments: ["CARGO_ENCODED_RUSTFLAGS", "CGO_CFLAGS", "GOFLAGS", "RUSTFLAGS", "SWIFT_EXEC"])
  func `compiler flags in the environment change the flags of a build`(variable: String) {
    #expect(flags([["make"]], [variable: "-O1"]) == "\(variable)=-O1 make")
  }

  @Test func `SECURITY.md names all variables that are stored with their values`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(components: "..", "..", "SECURITY.md").standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    let words = Set(text.split { !$0.isLetter && $0 != "_" }.map(String.init))
    #expect(BuildRecipe.flagVariables.filter { !words.contains($0) } == [])
  }

  @Test func `words with spaces, quotes or newlines are quoted in one line`() {
    #expect(flags([["sh", "-c", "make a"]]) != flags([["sh", "-c", "make", "a"]]))
    #expect(flags([["make", "a;", "b"]]) != flags([["make", "a"], ["b"]]))
    #expect(flags([["make", ""]]) == #"make """#)
    #expect(!flags([["sh", "-c", "make\nmake install"]]).contains("\n"))
  }

  @Test func `a toolchain that fails or prints nothing is unknown`() throws {
    func version(_ command: [String]) throws -> String? {
      try BuildRecipe(commands: [], products: "", toolchain: command)
        .version(in: "/", variables: ["PATH": "/usr/bin:/bin"])
    }
    #expect(try version(["printf", "cc 12\\nfor x86"]) == "cc 12, for x86")
    #expect(try version(["false"]) == nil)
    #expect(try version(["true"]) == nil)
    #expect(try version([]) == nil)
    #expect(throws: RevisionError.buildToolNotFound("no-such-compiler")) {
      try version(["no-such-compiler", "--version"])
    }
  }
}
