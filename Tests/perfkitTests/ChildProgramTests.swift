import Foundation
import Testing

@testable import perfkit

struct ChildProgramTests {
  @Test(arguments: ["/no/such/program", "/etc/passwd"])
  func `a program that cannot be started leaves no descriptor open`(path: String) async {
    await #expect(processExitsWith: .exitCode(0)) { [path] in
      func start() throws -> Int {
        let program = ChildProgram.Program(path: path, directory: "/", variables: [:])
        #expect(throws: (any Error).self) { try ChildProgram(program, []) }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      }
      // The first start may open what all later ones share.
      let before = try start()
      for _ in 1...5 { _ = try start() }
      exit(try start() == before ? 0 : 9)
    }
  }
}
