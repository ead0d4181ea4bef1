import CLinux
import CPerfFormat
import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfProfile

/// Records of perf_event_open(2), written by hand.
struct EventRecordTests {
  /// The bytes of values, one after the other, behind a header with their length.
  private func record(
    _ kind: clinux_event_kind, flags: UInt16 = 0, _ parts: [[UInt8]]
  ) -> [UInt8] {
    let body = Array(parts.joined())
    return bytes(kind.rawValue) + bytes(flags) + bytes(UInt16(8 + body.count)) + body
  }

  private func bytes<Value: FixedWidthInteger>(_ values: Value...) -> [UInt8] {
    values.flatMap { value in withUnsafeBytes(of: value) { Array($0) } }
  }

  /// A text with its zero bytes, up to a multiple of 8.
  private func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: 0, count: 8 - bytes.count % 8)
  }

  /// Process 7, thread 8, at 99 ns, of event 5: at the end of records that are no samples.
  private var trailer: [UInt8] { bytes(Int32(7), 8) + bytes(UInt64(99), 5) }

  /// Calls a function with a record, whose buffers are valid meanwhile.
  private func read(_ bytes: [UInt8], _ body: (EventRecord?) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { try body(EventRecord($0)) }
  }

  private func sample(stack: [UInt8], used: UInt64) -> [UInt8] {
    record(
      CLINUX_EVENT_SAMPLE,
      [
        bytes(UInt64(5)), bytes(Int32(7), 8), bytes(UInt64(99)),
        // PERF_CONTEXT_KERNEL, two addresses, PERF_CONTEXT_USER, two addresses.
        bytes(
          UInt64(6), UInt64(bitPattern: -128), 0xffff_ffff_8100_0010, 0xffff_ffff_8100_2000,
          UInt64(bitPattern: -512), 0x1000, 0x2000),
        bytes(UInt64(2)), (1...UInt64(CLINUX_EVENT_REGISTERS)).flatMap { bytes($0) },
        bytes(UInt64(stack.count)), stack, stack.isEmpty ? [] : bytes(used),
      ])
  }

  @Test func `a sample has its time, the kernel's chain, registers and the used stack`() throws {
    let stack = (0..<64).map { UInt8($0) }
    try read(sample(stack: stack, used: 24)) { record in
      let record = try #require(record)
      #expect(record.process == 7 && record.thread == 8 && record.time == 99)
      guard case .sample(let sample) = record.content else {
        Issue.record("no sample")
        return
      }
      #expect(!sample.isFull)
      #expect(Array(sample.stack) == Array(stack[..<24]))
      #expect(sample.event == 5)
      // The markers of contexts are no addresses.
      let chain = CallChain(sample.chain)
      #expect(Array(chain.kernel) == [0xffff_ffff_8100_0010, 0xffff_ffff_8100_2000])
      #expect(Array(chain.user) == [0x1000, 0x2000] && chain.isWhole)
      // The spool keeps a chain in pairs of words.
      #expect(chain.pairs == 3)
      chain.withBytes { words in
        #expect(words.count == 48)
        #expect(Array(CallChain(words).user) == [0x1000, 0x2000])
      }
      #expect(CallChain(sample.chain, withUser: false).user.isEmpty)
      #expect(sample.registers?.count == 8 * Int(CLINUX_EVENT_REGISTERS))
    }
    try read(sample(stack: stack, used: 64)) { record in
      guard case .sample(let sample) = try #require(record).content else { return }
      #expect(sample.isFull)
    }
    try read(sample(stack: [], used: 0)) { record in
      guard case .sample(let sample) = try #require(record).content else { return }
      #expect(sample.stack.isEmpty && !sample.isFull)
    }
  }

  #if arch(x86_64)
  @Test func `registers are reordered from the kernel's order to DWARF's`() {
    // The kernel's order: ax bx cx dx si di bp sp ip r8...r15 (asm/perf_regs.h).
    let recorded = (1...UInt64(CLINUX_EVENT_REGISTERS)).map { $0 }
    var registers = [UInt64](repeating: 0, count: Int(CLINUX_EVENT_REGISTERS))
    clinux_event_registers(recorded, &registers)
    // DWARF's order: ax dx cx bx si di bp sp r8...r15 ip (System V ABI for AMD64, figure 3.36).
    #expect(registers == [1, 4, 3, 2, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 9])
    #expect(CLINUX_EVENT_REGISTERS == PERFKIT_REGISTER_COUNT)
  }
  #endif

  @Test func `a mapping has its file, address and build id`() throws {
    let id = (1...20).map { UInt8($0) }
    let mapped = record(
      CLINUX_EVENT_MMAP2, flags: UInt16(CLINUX_EVENT_HAS_BUILD_ID.rawValue),
      [
        bytes(Int32(7), 8), bytes(UInt64(0x7000), 0x2000, 0x1000), [20, 0, 0, 0], id,
        bytes(UInt32(5), 2), text("/usr/lib/libz.so"), trailer,
      ])
    try read(mapped) { record in
      guard case .mapped(let mapping) = try #require(record).content else {
        Issue.record("no mapping")
        return
      }
      #expect(
        mapping
          == .init(
            address: 0x7000, bytes: 0x2000, offset: 0x1000, path: "/usr/lib/libz.so", buildID: id))
    }
  }

  @Test func `names, forks, ends and losses are read`() throws {
    let named = record(
      CLINUX_EVENT_COMM, flags: UInt16(CLINUX_EVENT_IS_EXEC.rawValue),
      [bytes(Int32(7), 7), text("sort"), trailer])
    try read(named) { record in
      guard case .named("sort", isExec: true) = try #require(record).content else {
        Issue.record("no name")
        return
      }
    }
    let forked = record(
      CLINUX_EVENT_FORK, [bytes(Int32(20), 7, 21, 8), bytes(UInt64(98)), trailer])
    try read(forked) { record in
      let record = try #require(record)
      #expect(record.process == 20 && record.thread == 21 && record.time == 99)
      guard case .began(parent: 7, parentThread: 8) = record.content else {
        Issue.record("no fork")
        return
      }
    }
    let lost = record(CLINUX_EVENT_LOST, [bytes(UInt64(1), 12), trailer])
    try read(lost) { record in
      guard case .lost(12) = try #require(record).content else {
        Issue.record("no loss")
        return
      }
    }
  }

  @Test func `switches tell whether a thread stops and why`() throws {
    let isOut = UInt16(CLINUX_EVENT_IS_OUT.rawValue)
    let isPreempted = UInt16(CLINUX_EVENT_IS_PREEMPTED.rawValue)
    try read(record(CLINUX_EVENT_SWITCH, [trailer])) { record in
      let record = try #require(record)
      #expect(record.thread == 8 && record.time == 99)
      guard case .resumed = record.content else { throw Unexpected() }
    }
    try read(record(CLINUX_EVENT_SWITCH, flags: isOut, [trailer])) { record in
      guard case .stopped(isPreempted: false) = try #require(record).content else {
        throw Unexpected()
      }
    }
    try read(record(CLINUX_EVENT_SWITCH, flags: isOut | isPreempted, [trailer])) { record in
      guard case .stopped(isPreempted: true) = try #require(record).content else {
        throw Unexpected()
      }
    }
  }

  private struct Unexpected: Error {}

  @Test func `records that are cut off or of an unknown kind are left out`() {
    let whole = sample(stack: [1, 2, 3, 4, 5, 6, 7, 8], used: 8)
    for count in 0..<whole.count { read(Array(whole[..<count])) { #expect($0 == nil) } }
    read(record(clinux_event_kind(rawValue: 99), [trailer])) { #expect($0 == nil) }
    // More bytes of the stack in use than copied.
    read(sample(stack: [1, 2, 3, 4, 5, 6, 7, 8], used: 9)) { #expect($0 == nil) }
  }
}

/// Where mapped files are.
struct EventModulesTests {
  @Test func `a mapping of the C library has the bias of its file`() throws {
    let function = UInt64(UInt(bitPattern: try #require(dlsym(nil, "malloc"))))
    let mapping = try #require(
      RunningProcess(getpid()).mappings().first {
        $0.address <= function && function < $0.address + $0.bytes
      })
    #expect(mapping.offset > 0)
    let module = try #require(EventModules().module(mapping))
    // In the file, a function begins at the address that the bias gives.
    let image = try ElfImage(path: mapping.path, memory: ImageMemory(path: mapping.path))
    let address = function - module.bias
    #expect(ElfSymbols(image).start(at: address) == address)
    #expect(module.low < mapping.address && module.high >= mapping.address + mapping.bytes)
  }

  @Test(arguments: ["//anon", "/memfd:jit (deleted)", "/dev/zero", "[heap]", "anon_inode:[x]"])
  func `memory without a file is no module`(path: String) {
    let mapping = EventRecord.Mapping(
      address: 0x1000, bytes: 0x1000, offset: 0, path: path, buildID: [])
    #expect(EventModules().module(mapping) == nil)
  }
}

/// The kernel's functions.
struct KernelSymbolsTests {
  @Test func `functions are found by any address inside of them`() throws {
    let folder = try TemporaryFolder()
    let text = """
      ffffffff81000000 T _stext
      ffffffff81000100 d a_table
      ffffffff81000200 t do_work\t[loop]
      ffffffff81000300 W weak_work

      """
    try text.write(toFile: folder("kallsyms"), atomically: true, encoding: .utf8)
    let symbols = KernelSymbols(path: folder("kallsyms"))
    #expect(symbols.start(at: 0xffff_ffff_8100_02ff) == 0xffff_ffff_8100_0200)
    #expect(symbols.name(startingAt: 0xffff_ffff_8100_0200) == "do_work")
    #expect(symbols.name(startingAt: 0xffff_ffff_8100_0201) == nil)
    // Data is no function.
    #expect(symbols.start(at: 0xffff_ffff_8100_0150) == 0xffff_ffff_8100_0000)
    #expect(symbols.start(at: 0x1000) == 0)
  }

  @Test func `hidden addresses and a missing file give no functions`() throws {
    let folder = try TemporaryFolder()
    try "0000000000000000 T _stext\n".write(
      toFile: folder("kallsyms"), atomically: true, encoding: .utf8)
    #expect(KernelSymbols(path: folder("kallsyms")).start(at: .max) == 0)
    #expect(KernelSymbols(path: folder("none")).start(at: .max) == 0)
  }
}
