import CPerfFormat
import Foundation
import Glibc
import PerfModel
import Testing

@testable import PerfProfile

/// Unwinding of stacks of known shape.
@Suite struct UnwindingTests: ProgramProfiling {
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
