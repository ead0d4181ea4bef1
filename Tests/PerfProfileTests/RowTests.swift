import CUnwind
import Foundation
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Steps by rows in comparison with libunwind.
@Suite struct RowTests {
  private static let bias: UInt64 = 0x5555_0000_0000

  /// The C library (with assembly and hand-written unwind information), Swift's, and this program.
  private static let files: [String] = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    let mapped = maps.split(separator: "\n").compactMap { line in
      line.firstIndex(of: "/").map { String(line[$0...]) }
    }
    return ["/libc.so.6", "/libswiftCore.so", "/libgcc_s.so.1"].compactMap { name in
      mapped.first { $0.hasSuffix(name) }
    } + [CommandLine.arguments[0]]
  }()

  /// Returns spaces of one file, with rows and without, and the addresses of its code.
  private func place(
    _ image: ElfImage, at bias: UInt64
  ) throws -> (spaces: [UnwindSpace], code: [Range<UInt64>]) {
    let end = try #require(image.segments.last.map { $0.address + $0.memoryBytes })
    let module = LoadedModule(
      path: image.path, buildID: [], bias: bias, low: bias, high: bias + end)
    let images = ModuleImages()
    let map = ModuleMap(ModuleList(time: 0, modules: [module]), next: nil, images: images)
    let code = image.segments.filter(\.isExecutable).map {
      (bias + $0.address)..<(bias + $0.address + UInt64($0.fileBytes))
    }
    let spaces = try [true, false].map { try UnwindSpace(images: images, usesRows: $0) }
    for space in spaces { try space.setModules(map) }
    return (spaces, code)
  }

  /// Walks a random stack from a random address of code in each of several spaces.
  private func walks(
    _ spaces: [UnwindSpace], _ code: [Range<UInt64>], _ stack: [UInt64],
    _ random: inout SampleRandom
  ) throws -> [RandomWalk] {
    var registers = (0..<CUNWIND_REGISTER_COUNT).map { _ in
      RandomWalk.stackAddress + 8 * UInt64.random(in: 64..<256, using: &random)
    }
    registers[registers.count - 1] = UInt64.random(
      in: code[Int.random(in: 0..<code.count, using: &random)], using: &random)
    return try spaces.map { try RandomWalk($0, registers, stack) }
  }

  @Test(arguments: files)
  func `rows and libunwind find the same callers from any address of a file's code`(
    path: String
  ) throws {
    let image = try ElfImage(path: path, memory: ImageMemory(path: path))
    let (spaces, code) = try place(image, at: Self.bias)
    var random = SampleRandom(seed: 7)
    // No call returns into a table of jumps (PLT). libunwind computes its rule from the return address,
    // which selects the next instruction's row.
    let section = image.sections().first { $0.name == ".text" }?.section
    let text = try #require(section)
    let start = Self.bias + text.address
    let stack = RandomWalk.stack([start..<(start + UInt64(text.bytes))], &random)
    var found = 0
    for _ in 0..<4000 {
      let walks = try walks(spaces, code, stack, &random)
      let ip = walks[0].frames[0][0]
      #expect(walks[0] == walks[1], "at \(String(ip - Self.bias, radix: 16))")
      if walks[0].frames.count > 1 { found += 1 }
    }
    // Half of the read words are code addresses, and half of these depend on a register that leads
    // elsewhere; the test program has many functions without unwind information.
    #expect(found > 500)
  }

  @Test func `libunwind walks stacks over data but not over the search table`() throws {
    let path = try #require(Self.files.first)
    let image = try ElfImage(path: path, memory: ImageMemory(path: path))
    let data = try #require(image.segments.last)
    let table = try #require(image.unwindTable).address
    // Whole pages from the file's start to the stack, which is one page.
    let page: UInt64 = 4096
    let inData = (data.address + page - 1) / page * page
    try #require(inData + page <= data.address + UInt64(data.fileBytes))
    for (place, isWalked) in [(inData, true), (table / page * page, false)] {
      let (spaces, code) = try self.place(image, at: RandomWalk.stackAddress - place)
      var random = SampleRandom(seed: 7)
      let stack = RandomWalk.stack(code, &random)
      var deeper = 0
      for _ in 0..<400 {
        let walk = try walks([spaces[1]], code, stack, &random)[0]
        if walk.frames.count > 1 { deeper += 1 }
        if !isWalked { #expect(walk.end == CUNWIND_BAD_ADDRESS) }
      }
      #expect(isWalked ? deeper > 25 : deeper == 0)
    }
  }
}
