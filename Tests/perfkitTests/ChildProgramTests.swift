import Foundation
import Testing

@testable import perfkit

struct ChildProgramTests {
  @Test(arguments: ["/no/such/program", "/etc/passwd"])
  func `a program that cannot be started leaves no descriptor open`(path: String) async {
    await #expect(processExitsWith: .exitCode(0)) { [path] in
      /// Returns the number of open pipes and sockets. Dispatch opens descriptors of other kinds meanwhile.
      func start() throws -> Int {
        let program = ChildProgram.Program(path: path, directory: "/", variables: [:])
        #expect(throws: (any Error).self) { try ChildProgram(program, []) }
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
          let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
          return target?.hasPrefix("pipe:") == true || target?.hasPrefix("socket:") == true
        }
      }
      // The first start may open what all later ones share.
      let before = try start()
      for _ in 1...5 { _ = try start() }
      exit(try start() == before ? 0 : 9)
    }
  }
}
