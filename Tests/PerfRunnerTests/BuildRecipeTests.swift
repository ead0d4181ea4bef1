import Testing

@testable import PerfRunner

struct BuildRecipeTests {
  private func flags(_ commands: [[String]], _ variables: [String: String] = [:]) -> String {
    BuildRecipe(commands: commands, products: "bin", toolchain: []).flags(variables)
  }

  @Test func `what a tree is built by is its commands and the variables that hold flags`() {
    #expect(flags([["./configure"], ["make", "-j2"]]) == "./configure; make -j2")
    let variables = ["CFLAGS": "-O0 -g", "CC": "clang", "HOME": "/root"]
    #expect(flags([["make"]], variables) == #"CC=clang CFLAGS="-O0 -g" make"#)
  }

  @Test(arguments: ["CARGO_ENCODED_RUSTFLAGS", "CGO_CFLAGS", "GOFLAGS", "RUSTFLAGS", "SWIFT_EXEC"])
  func `a build by other flags of its compiler is another one`(variable: String) {
    #expect(flags([["make"]], [variable: "-O1"]) == "\(variable)=-O1 make")
  }

  @Test func `words with spaces, quotes or lines are one word, in one line`() {
    #expect(flags([["sh", "-c", "make a"]]) != flags([["sh", "-c", "make", "a"]]))
    #expect(flags([["make", "a;", "b"]]) != flags([["make", "a"], ["b"]]))
    #expect(flags([["make", ""]]) == #"make """#)
    #expect(!flags([["sh", "-c", "make\nmake install"]]).contains("\n"))
  }

  @Test func `a toolchain that fails or says nothing is unknown`() throws {
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
