import CUnwind
import Foundation
import PerfModel
import Testing

@testable import PerfProfile

/// Unwinding of code without unwind information.
@Suite struct UndescribedCodeTests: ProgramProfiling {
  #if arch(x86_64)
  @Test func `functions without unwind information are unwound at each of their instructions`()
    throws
  {
    let profile = try profile(["stepped"])
    var met: [String: Int] = [:]
    for names in profile.stacks() {
      let names = upToMain(names)
      #expect(names.suffix(2) == ["stepped", "main"])
      met[names.first ?? "", default: 0] += 1
    }
    // 14 instructions, 4, and twice 3; the trap comes before each of them.
    #expect(met["framed_bare"] == 14)
    #expect(met["aligned_bare"] == 4)
    #expect(met["leaf_bare"] == 6)
    // One function pushes r14 and pops it, the other rbx, which determines the frame of their
    // caller.
    #expect(met["reusing_bare"] == 4)
    #expect(met["pushing_bare"] == 5)
    // At its return, the slot of the popped rbx is outside of the copied stack.
    #expect(met["popping"] == 5)
    #expect(profile.audit.complete == profile.audit.samples)
    // From the leaf to its two callers, and from one of them directly by a jump.
    let leaves = profile.stacks().filter { $0.first == "leaf_bare" }.map {
      upToMain($0).dropFirst()
    }
    #expect(leaves.count { $0.elementsEqual(["stepped", "main"]) } == 3)
    #expect(
      leaves.count { $0.elementsEqual(["aligned_bare", "framed_bare", "stepped", "main"]) } == 3)
  }

  @Test func `a constructor of a library is unwound to the loader's start`() throws {
    let library = try TestProgram.build(
      "libconstructed.so", ["constructed.c"], flags: ["-shared", "-fPIC"])
    let folder = (library.path as NSString).deletingLastPathComponent
    // The program calls nothing of the library, and exports the function that the library calls.
    let program = try TestProgram.build(
      "begun", ["begun.c", "capture.c"],
      flags: [
        "-lpthread", "-rdynamic", "-Wl,--no-as-needed", "-L", folder, "-lconstructed",
        "-Wl,-rpath,\(folder)",
      ])
    let profile = try profile([], of: program)
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(2) == ["begun", "construct"])
    #expect(!names.contains("main"))
    #expect(profile.audit.complete == 1)
  }

  @Test func `the loader's first call is the start of a stack`() throws {
    // mov rdi, rsp; call 32; mov r12, rax. The function at 32 only returns.
    var code = [UInt8](repeating: 0x90, count: 64)
    code.replaceSubrange(
      0..<11, with: [0x48, 0x89, 0xe7, 0xe8, 24, 0, 0, 0, 0x49, 0x89, 0xc4])
    code[32] = 0xc3
    #expect(try end(of: code, at: 32, returningTo: 8) == CUNWIND_COMPLETE)
    // Code that keeps the result in another register is not the loader's.
    code[10] = 0xc5
    #expect(try end(of: code, at: 32, returningTo: 8) != CUNWIND_COMPLETE)
  }

  /// Walks from an instruction whose stack contains one return address, and returns how the walk ends.
  private func end(of code: [UInt8], at offset: UInt64, returningTo caller: UInt64) throws
    -> cunwind_end
  {
    let low: UInt64 = 0x10_0000
    let created = cunwind_space_create({ _, _ in 0 }, nil)
    let space = try #require(created)
    defer { cunwind_space_destroy(space) }
    var registers = [UInt64](repeating: 0, count: Int(CUNWIND_REGISTER_COUNT))
    // The stack pointer is the register 7 of DWARF, the program counter comes last.
    (registers[7], registers[16]) = (0x20_0000, low + offset)
    // No other word of the stack is an address of code.
    let stack = [low + caller] + Array(repeating: 1, count: 15)
    return try code.withUnsafeBufferPointer { code in
      let segment = cunwind_segment(
        low: low, file_high: low + UInt64(code.count), high: low + 4096, bytes: code.baseAddress,
        executable: true, generated: false)
      let module = cunwind_module(
        low: low, high: segment.high, table_base: low, table: low, table_count: 0)
      try #require(cunwind_space_set_modules(space, [module], 1, [segment], 1) == 0)
      return try registers.withUnsafeBufferPointer { registers in
        try stack.withUnsafeBytes { stack in
          var sample = cunwind_sample(
            registers: try #require(registers.baseAddress),
            stack: stack.baseAddress?.assumingMemoryBound(to: UInt8.self),
            stack_address: registers[7], stack_bytes: UInt64(stack.count), cut: false,
            partial: false, shared_address: .max, earlier: nil, earlier_count: 0,
            earlier_end: CUNWIND_COMPLETE)
          var frames = [cunwind_frame](repeating: cunwind_frame(), count: 8)
          return cunwind_walk(space, &sample, &frames, frames.count).end
        }
      }
    }
  }

  @Test func `code after a call that never returns leads to no wrong caller`() throws {
    let stacks = try profile(["unreturned"]).stacks()
    let failed = "[no unwind information]"
    // Of 4 instructions only the first one, which has not moved the stack pointer, leads to the
    // caller.
    #expect(stacks.count { upToMain($0) == ["ending_bare", "unreturned", "main"] } == 1)
    #expect(stacks.count { $0 == ["ending_bare", failed] } == 3)
    // Of 9 instructions the first one and 4 from which only one path leads on.
    #expect(stacks.count { upToMain($0) == ["parting_bare", "unreturned", "main"] } == 5)
    #expect(stacks.count { $0 == ["parting_bare", failed] } == 4)
    // The callee has left their frames with its second instruction.
    #expect(stacks.count { $0 == ["leaving", "ending_bare", failed] } == 1)
    #expect(stacks.count { upToMain($0) == ["leaving", "unreturned", "main"] } == 1)
    #expect(!stacks.contains { $0.contains("framed_bare") || $0.contains("behind_bare") })
  }

  /// A linker, its options, and the number of instructions at which two calls are in the stub.
  @Test(arguments: [
    // jmp, push, jmp to the function resolver (push, jmp); later only the first jmp.
    ("bfd", [], 4), ("gold", [], 4), ("lld", [], 4),
    // endbr64, jmp in .plt.sec; endbr64, push, jmp in .plt; later only the first two.
    ("bfd", ["-fcf-protection=full", "-Wl,-z,ibtplt"], 7),
  ])
  func `a call through a stub is unwound at each instruction and the stub is named`(
    linker: String, flags: [String], met: Int
  ) throws {
    let library = try TestProgram.build("libtiny.so", ["tiny.c"], flags: ["-shared", "-fPIC"])
    let folder = (library.path as NSString).deletingLastPathComponent
    let program = try TestProgram.build(
      "called-\(linker)-\(met)", ["stacks.c", "capture.c"],
      flags: [
        "-g", "-DSTUBS", "-lpthread", "-L", folder, "-ltiny", "-Wl,-rpath,\(folder)",
        "-fuse-ld=\(linker)", "-Wl,-z,lazy",
      ] + flags)
    // About 2,000 instructions of the loader, each with up to 4 KiB of stack.
    let segment = try CaptureSegment(.small(stackBytes: 4096, sampleCapacity: 32 << 20))
    let (status, capture) = try program.run(["called"], in: segment)
    try #require(status == 0)
    let profile = try ProfileBuilder.profile(of: capture)
    let stacks = profile.stacks()
    let broken = stacks.filter { upToMain($0).suffix(2) != ["called", "main"] }
    #expect(broken == [])
    #expect(stacks.count { $0.first == "tiny@plt" } == met)
    #expect(stacks.count { $0.first == ".plt" } == 2)
    // lea or add, and ret, twice.
    #expect(stacks.count { $0.first == "tiny" } == 4)
    // A stub never gets the name of the function before it.
    #expect(!stacks.contains { $0.contains("_init") })
  }

  @Test(arguments: [[], ["-s", "-rdynamic"]])
  func `functions that the compiler adds to each program are unwound at each of their instructions`(
    flags: [String]
  ) throws {
    let program = try TestProgram.build(
      "ended-\(flags.count)", ["stacks.c", "capture.c"], flags: ["-g", "-lpthread"] + flags)
    // About 750 instructions, most of the loader, each with up to 4 KiB of stack.
    let segment = try CaptureSegment(.small(stackBytes: 4096, sampleCapacity: 32 << 20))
    let (status, capture) = try program.run(["ended"], in: segment)
    try #require(status == 0)
    let profile = try ProfileBuilder.profile(of: capture)
    let stacks = profile.stacks()
    #expect(stacks.filter { upToMain($0).suffix(2) != ["ended", "main"] } == [])
    #expect(profile.audit.complete == profile.audit.samples)
    // Up to the call of __cxa_finalize, after it, and after the call of deregister_tm_clones.
    let own = flags.isEmpty ? "__do_global_dtors_aux" : "ended-2 (no symbols)"
    #expect(stacks.count { $0.first == own } >= 10)
    #expect(stacks.contains { $0.first == "__cxa_finalize" && $0.contains(own) })
  }

  @Test func `stripped vector code called through a pointer is unwound by its frame pointer`()
    throws
  {
    let stacks = try profile(["stripped"]).stacks().filter {
      $0.first == "stacks (no symbols)"
    }
    // One of 15 instructions (and one of the 7 without alignment) leads nowhere: the stack is
    // already aligned, and a register has its old value. None leads to a wrong caller.
    #expect(stacks.count == 22)
    let left = stacks.map(upToMain).filter { !$0.isEmpty }
    #expect(left.count == 21)
    #expect(left.allSatisfy { $0.count == 3 && $0.suffix(2) == ["stripped", "main"] })
  }

  @Test func `stripped code is unwound at each instruction if a call names it`() throws {
    let profile = try profile(["stripped_direct"])
    let stacks = profile.stacks().filter { $0.first == "stacks (no symbols)" }
    // 15 instructions, executed once directly and once after a jump.
    #expect(stacks.count == 30)
    #expect(stacks.allSatisfy { upToMain($0).suffix(2) == ["stripped_direct", "main"] })
    #expect(profile.audit.complete == profile.audit.samples)
  }
  #endif
}
