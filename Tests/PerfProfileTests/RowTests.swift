import CUnwind
import Foundation
import PerfTestSupport
import Testing

@testable import PerfProfile

/// What we read of unwind information ourselves, against libunwind.
@Suite struct RowTests {
  private static let bias: UInt64 = 0x5555_0000_0000

  /// The C library (assembly, hand-written rows), Swift's, and this program.
  private static let files: [String] = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let mapped = maps.split(separator: "\n").compactMap { line in
      line.firstIndex(of: "/").map { String(line[$0...]) }
    }
    return ["/libc.so.6", "/libswiftCore.so", "/libgcc_s.so.1"].compactMap { name in
      mapped.first { $0.hasSuffix(name) }
    } + [CommandLine.arguments[0]]
  }()

  @Test(arguments: files)
  func `any place of a file's code leads to the same callers by rows and by libunwind`(
    path: String
  ) throws {
    let image = try ElfImage(path: path, memory: ImageMemory(path: path))
    let end = try #require(image.segments.last.map { $0.address + $0.memoryBytes })
    let module = LoadedModule(
      path: path, buildID: [], bias: Self.bias, low: Self.bias, high: Self.bias + end)
    let images = ModuleImages()
    let map = ModuleMap(ModuleList(time: 0, modules: [module]), next: nil, images: images)
    let code = image.segments.filter(\.isExecutable).map {
      (Self.bias + $0.address)..<(Self.bias + $0.address + UInt64($0.fileBytes))
    }
    var random = SampleRandom(seed: 7)
    let stack = RandomWalk.stack(code, &random)
    let spaces = try [true, false].map { try UnwindSpace(images: images, usesRows: $0) }
    for space in spaces { try space.setModules(map) }
    var found = 0
    for _ in 0..<4000 {
      var registers = (0..<CUNWIND_REGISTER_COUNT).map { _ in
        RandomWalk.stackAddress + 8 * UInt64.random(in: 64..<256, using: &random)
      }
      let place = UInt64.random(
        in: code[Int.random(in: 0..<code.count, using: &random)], using: &random)
      registers[registers.count - 1] = place
      let walks = try spaces.map { try RandomWalk($0, registers, stack) }
      #expect(walks[0] == walks[1], "at \(String(place - Self.bias, radix: 16))")
      if walks[0].frames.count > 1 { found += 1 }
    }
    // Half of what is read is a code address, and half of that is behind a register that leads away;
    // the test's own program has many functions without unwind information.
    #expect(found > 500)
  }
}
