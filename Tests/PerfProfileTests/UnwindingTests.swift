import CPerfFormat
import Foundation
import Glibc
import PerfModel
import Testing

@testable import PerfProfile

@Suite struct UnwindingTests {
  private func profile(
    _ words: [String], of program: TestProgram? = nil, stackBytes: Int = 16 << 10
  ) throws -> Profile {
    let segment = try CaptureSegment(.small(stackBytes: stackBytes))
    let program = try program ?? TestProgram.stacks()
    let (status, capture) = try program.run(words, in: segment)
    try #require(status == 0)
    #expect(capture.garbage == 0)
    return try ProfileBuilder.profile(of: capture)
  }

  /// Returns the names up to `main` after checking that the rest ends at the start of the program.
  ///
  /// Functions of the C library in between have names only where its symbols are installed.
  private func upToMain(_ names: [String]?) -> [String] {
    guard let names, names.last == "_start", let main = names.lastIndex(of: "main") else {
      return []
    }
    return Array(names[...main])
  }

  @Test(arguments: [0, 1, 40])
  func `a leaf without a frame is unwound through a known number of calls`(
    depth: Int
  ) throws {
    let profile = try profile(["descend", "\(depth)"])
    // `leaf`, depth + 1 times `descend`, `main`.
    let calls = Array(repeating: "descend", count: depth + 1)
    #expect(upToMain(profile.stacks().first) == ["leaf"] + calls + ["main"])
    #expect(profile.audit.complete == 1)
    #expect(profile.audit.samples == 1)
  }

  @Test func `a callback of qsort is unwound through the C library`() throws {
    let profile = try profile(["sort"])
    let names = upToMain(profile.stacks().first)
    #expect(names.first == "compare")
    #expect(names.suffix(2) == ["sort", "main"])
    let sorting = try #require(profile.timeline[0]?.first.map { profile.nodes[$0.node].parent })
    #expect(profile.functions[profile.nodes[sorting].function].module == "libc.so.6")
    #expect(profile.audit.complete == 1)
  }

  @Test func `a signal handler's stack continues with the interrupted code`() throws {
    let profile = try profile(["signalled"])
    let names = upToMain(profile.stacks().first)
    #expect(names.prefix(2) == ["leaf", "handle"])
    #expect(names.suffix(2) == ["signalled", "main"])
    #expect(profile.audit.complete == 1)
  }

  @Test func `a handler on an alternate stack ends truncated`() throws {
    let profile = try profile(["apart"])
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(2) == ["leaf", "handle"])
    // The trampoline and the interrupted instruction.
    #expect(names.count == 5)
    #expect(names.last == "[truncated]")
    #expect(profile.audit.truncated == 1)
  }

  @Test func `a thread's stack ends at the thread's start`() throws {
    let profile = try profile(["threaded"])
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(5) == ["leaf", "descend", "descend", "descend", "run_thread"])
    #expect(!names.contains("main"))
    #expect(profile.audit.complete == 1)
  }

  @Test func `code of the kernel's page is unwound and named`() throws {
    let profile = try profile(["clocks"])
    let names = upToMain(profile.stacks().first)
    #expect(names.first?.hasSuffix("clock_gettime") == true)
    #expect(names.suffix(2) == ["clocks", "main"])
    let node = try #require(profile.timeline[0]?.first?.node)
    #expect(profile.functions[profile.nodes[node].function].module == "linux-vdso.so.1")
    #expect(profile.audit.complete == 1)
  }

  @Test func `std sort is shown with its inlined functions under their C++ names`() throws {
    let program = try TestProgram.build(
      "sort", ["sort.cpp", "capture.c"],
      flags: ["-g", "-Wno-deprecated", "-lstdc++", "-lpthread"])
    let profile = try profile([], of: program)
    let names = upToMain(profile.stacks().first)
    #expect(names.first?.hasPrefix("shelves::ByYear::operator()") == true)
    #expect(names.contains { $0.contains("std::sort<") })
    #expect(profile.nodes.contains { $0.isInlined && $0.line > 0 })
    #expect(profile.audit.complete == 1)
  }

  @Test func `a stack that exceeds the copy is truncated, never complete`() throws {
    // A frame of `descend` takes about 64 bytes: 100 of them exceed 2,048 bytes.
    let profile = try profile(["cut", "2048"])
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(3) == ["leaf", "descend", "descend"])
    #expect(names.last == "[truncated]")
    #expect(profile.audit.truncated == 1)
    #expect(profile.audit.complete == 0)
    #expect(profile.audit.warnings.contains { $0.code == "sampler.incomplete" })
  }

  @Test func `a library loaded between two lists is known before the second`() throws {
    let library = try TestProgram.build("library.so", ["library.c"], flags: ["-shared", "-fPIC"])
    let profile = try profile(["loaded", library.path])
    #expect(profile.stacks().count == 2)
    for names in profile.stacks() {
      #expect(upToMain(names) == ["leaf", "call_back", "loaded", "main"])
    }
    #expect(profile.audit.complete == 2)
  }

  @Test func `a program linked without a search table is unwound with a built one`() throws {
    let program = try TestProgram.build(
      "tableless", ["stacks.c", "capture.c"], flags: ["-Wl,--no-eh-frame-hdr", "-lpthread"])
    let memory = try ImageMemory(path: program.path)
    try #require(ElfImage(path: program.path, memory: memory).unwindTable == nil)
    let profile = try profile(["descend", "3"], of: program)
    // `leaf`, four times `descend`, `main`, and three frames of the C library.
    #expect(profile.stacks().first?.count == 9)
    #expect(profile.audit.complete == 1)
  }

  @Test func `code without unwind information ends a stack and is named as the reason`() throws {
    let program = try TestProgram.build(
      "bare", ["stacks.c", "capture.c"],
      flags: ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-lpthread"])
    let profile = try profile(["descend", "3"], of: program)
    // The leaf's caller is at the top of the stack; `descend` pushes registers before its frame.
    #expect(profile.stacks().first == ["leaf", "descend", "[no unwind information]"])
    #expect(profile.audit.failed == 1)
    #expect(profile.audit.failures == ["no unwind information": 1])
  }

  #if arch(x86_64)
  @Test func `the stack of a context ends at the context's start`() throws {
    let profile = try profile(["switched"])
    let names = try #require(profile.stacks().first)
    #expect(names.prefix(5) == ["leaf", "descend", "descend", "descend", "run_context"])
    // Its return address is the start of `__start_context`, which no code has called.
    #expect(names.count == 6)
    #expect(profile.audit.complete == 1)
  }

  @Test func `the return address of a signal handler has its own name`() throws {
    let profile = try profile(["restored"])
    let names = upToMain(profile.stacks().first)
    #expect(names.prefix(3) == ["leaf", "handle", "restore"])
    #expect(names.suffix(2) == ["restored", "main"])
    #expect(profile.audit.complete == 1)
  }

  /// Unwind information with an endless loop, a division that ends a process, the same after a
  /// jump, and unknown registers.
  @Test(arguments: ["endless", "dividing", "hiding", "misplacing", "returning"])
  func `unwind information that cannot be evaluated ends the stack and nothing else`(
    function: String
  ) throws {
    for shortcuts in [Unwinder.Shortcuts.rows, []] {
      let segment = try CaptureSegment(.small())
      let (status, capture) = try TestProgram.stacks().run([function], in: segment)
      try #require(status == 0)
      let unwinder = try Unwinder(capture, images: ModuleImages(), shortcuts: shortcuts)
      var ends: [StackEnd] = []
      try capture.spool?.forEach { (entry, bytes) throws(PerfProfileError) in
        let head = bytes.loadUnaligned(as: perfkit_sample.self)
        let kept = UnsafeRawBufferPointer(rebasing: bytes[MemoryLayout<perfkit_sample>.size...])
        guard let stack = try unwinder.walk(entry, head, kept: kept) else { return }
        ends.append(stack.end)
      }
      #expect(ends == [.badAddress])
    }
    #expect(try profile([function]).stacks().first == [function, "[bad address]"])
  }

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

  @Test func `a process that crashes leaves its samples`() throws {
    let segment = try CaptureSegment(.small())
    let (status, capture) = try TestProgram.stacks().run(["crash"], in: segment)
    // The low bits of a wait status are the signal.
    #expect(status & 0x7f == SIGABRT)
    let profile = try ProfileBuilder.profile(of: capture)
    #expect(profile.stacks().first?.first == "leaf")
    #expect(profile.audit.complete == 1)
  }

  @Test func `exception handling still uses the runtime's unwinder`() throws {
    for name in ["_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Backtrace"] {
      let address = UInt(bitPattern: try #require(dlsym(nil, name)))
      let library = try #require(try mappedFile(at: address))
      #expect(!library.contains("libunwind"), "\(name) comes from \(library)")
    }
  }

  /// Returns the file that is mapped at an address of this process.
  private func mappedFile(at address: UInt) throws -> String? {
    // Files of /proc have no size, so read them to their end.
    let file = try #require(FileHandle(forReadingAtPath: "/proc/self/maps"))
    let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if bounds.count == 2, (bounds[0]..<bounds[1]).contains(address) {
        return fields.last.map(String.init)
      }
    }
    return nil
  }
}
