import CUnwind
import PerfTestSupport
import Testing

@testable import PerfProfile

/// A walk through a random stack from any address of a file's code.
struct RandomWalk: Equatable {
  static let stackAddress: UInt64 = 0x7fff_0000_0000

  /// The first frames, each as the list of its fields.
  let frames: [[UInt64]]
  /// The end; a stack that leads back to itself is a bad address for libunwind.
  let end: cunwind_end

  init(_ space: UnwindSpace, _ registers: [UInt64], _ stack: [UInt64]) throws {
    let frames = UnsafeMutableBufferPointer<cunwind_frame>.allocate(capacity: 4)
    defer { frames.deallocate() }
    let result = try registers.withUnsafeBufferPointer { registers in
      try stack.withUnsafeBytes { stack in
        var sample = cunwind_sample(
          registers: try #require(registers.baseAddress),
          stack: stack.baseAddress?.assumingMemoryBound(to: UInt8.self),
          stack_address: Self.stackAddress, stack_bytes: UInt64(stack.count), cut: false,
          partial: false, shared_address: .max, earlier: nil, earlier_count: 0,
          earlier_end: CUNWIND_COMPLETE)
        return space.walk(&sample, into: frames)
      }
    }
    self.frames = frames[..<Int(result.count)].map { frame in
      [frame.ip, frame.sp, frame.exact]
        + withUnsafeBytes(of: frame.saved) { Array($0.bindMemory(to: UInt64.self)) }
    }
    end = result.end == CUNWIND_LOOP ? CUNWIND_BAD_ADDRESS : result.end
  }

  /// Returns a stack of addresses of code and of the stack itself, which steps may misread in any
  /// way.
  static func stack(_ code: [Range<UInt64>], _ random: inout SampleRandom) -> [UInt64] {
    (0..<512).map { _ in
      Bool.random(using: &random)
        ? UInt64.random(in: code[Int.random(in: 0..<code.count, using: &random)], using: &random)
        : stackAddress + 8 * UInt64.random(in: 0..<512, using: &random)
    }
  }
}
