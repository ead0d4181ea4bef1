import PerfTestSupport
import Testing

@testable import CoverCache

@Suite struct `an outbox` {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens the outbox as after a start of the app.
  func open(batch: Int = 3) throws -> Outbox {
    try Outbox(directory: folder.path, batch: batch)
  }

  /// Flushes the outbox and returns the names of each batch.
  func sent(by outbox: Outbox) throws -> [[String]] {
    var sent: [[String]] = []
    try outbox.flush { items throws(CoverError) in sent.append(items.map(\.name)) }
    return sent
  }

  @Test func `an outbox sends its items in order and in batches`() throws {
    let outbox = try open()
    for number in 0..<7 { try outbox.add([UInt8(number)], name: "scan \(number)") }
    #expect(outbox.count == 7)
    #expect(
      try sent(by: outbox) == [
        ["scan 0", "scan 1", "scan 2"], ["scan 3", "scan 4", "scan 5"], ["scan 6"],
      ])
    #expect(outbox.count == 0)
    #expect(folder.names == [])
    #expect(try sent(by: outbox) == [])
  }

  @Test func `items that could not be sent survive a restart`() throws {
    let outbox = try open()
    for number in 0..<5 { try outbox.add([UInt8(number)], name: "\(number)") }
    var calls = 0
    let error = #expect(throws: CoverError.self) {
      try outbox.flush { _ throws(CoverError) in
        calls += 1
        if calls == 2 { throw .unreachable(cover: "3") }
      }
    }
    #expect(error == .unreachable(cover: "3"))
    #expect(outbox.count == 2)
    let reopened = try open()
    try reopened.add([9], name: "later")
    var items: [Outbox.Item] = []
    #expect(try reopened.flush { sent throws(CoverError) in items += sent } == 3)
    #expect(items.map(\.name) == ["3", "4", "later"])
    #expect(items.map(\.bytes) == [[3], [4], [9]])
  }

  @Test func `a flush also sends items added meanwhile`() throws {
    let outbox = try open()
    try outbox.add([1], name: "first")
    var names: [String] = []
    let count = try outbox.flush { items throws(CoverError) in
      names += items.map(\.name)
      guard names.count == 1 else { return }
      try outbox.add([2], name: "second")
      // A nested flush leaves everything to the outer one.
      #expect(try outbox.flush { _ throws(CoverError) in Issue.record("sent twice") } == 0)
    }
    #expect(count == 2)
    #expect(names == ["first", "second"])
  }

  @Test(arguments: ["", "../../etc/passwd", "a/b\0c\n", "ünï¢ødé 📚"])
  func `an item may have any name`(name: String) throws {
    try open().add([1, 2], name: name)
    #expect(folder.names == ["0.item"])
    #expect(try sent(by: open()) == [[name]])
  }

  @Test func `damaged and missing items are dropped and counted`() throws {
    let outbox = try open()
    for name in ["a", "b", "c", "d"] { try outbox.add(Array(repeating: 7, count: 100), name: name) }
    var bytes = try #require(folder.read("1.item"))
    bytes[60] ^= 1
    try folder.write(bytes, to: "1.item")
    try folder.remove("3.item")
    #expect(try sent(by: outbox) == [["a", "c"]])
    #expect(outbox.damagedCount == 2)
    #expect(outbox.count == 0)
  }

  @Test func `opening an outbox removes unfinished files and ignores foreign ones`() throws {
    try folder.write([1, 2, 3], to: "5.item.tmp")
    try folder.write([1], to: "notes.txt")
    let outbox = try open()
    #expect(outbox.count == 0)
    #expect(folder.names == ["notes.txt"])
  }

  @Test(arguments: ["9223372036854775807", "9223372036854775808", "007", "+7", "-1", "", "7 "])
  func `a file whose name is no number of an item is foreign`(name: String) throws {
    try folder.write([1], to: "\(name).item")
    let outbox = try open()
    #expect(outbox.count == 0)
    try outbox.add([1], name: "a")
    #expect(try sent(by: outbox) == [["a"]])
    #expect(folder.names == ["\(name).item"])
    #expect(outbox.damagedCount == 0)
  }

  @Test func `adding to a deleted folder throws`() throws {
    let outbox = try open()
    try folder.removeAll()
    let error = #expect(throws: CoverError.self) { try outbox.add([1], name: "a") }
    // 2 is ENOENT.
    #expect(error == .notStored(path: folder("0.item"), code: 2))
    #expect(outbox.count == 0)
    #expect(throws: CoverError.self) { try Outbox(directory: folder("missing/outbox")) }
  }

  @Test func `concurrent adds and flushes send each item exactly once`() async throws {
    let outbox = try open()
    let names = try await withThrowingTaskGroup(of: [String].self) { group in
      for thread in 0..<4 {
        group.addTask {
          var sent: [String] = []
          for number in 0..<25 {
            try outbox.add([1], name: "\(thread)-\(number)")
            try outbox.flush { items throws(CoverError) in sent += items.map(\.name) }
          }
          return sent
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(names.count == 100)
    #expect(Set(names).count == 100)
    #expect(outbox.count == 0)
    #expect(folder.names == [])
  }
}

@Suite struct `an idle pause` {
  @Test func `a pause is due 30 s after the last use`() {
    var pause = IdlePause(usedAt: .seconds(100))
    #expect(!pause.isDue(at: .seconds(129)))
    pause.use(at: .seconds(120))
    #expect(!pause.isDue(at: .seconds(130)))
    #expect(!pause.isDue(at: .milliseconds(149_999)))
    #expect(pause.isDue(at: .seconds(150)))
    pause.use(at: .seconds(200))
    #expect(!pause.isDue(at: .seconds(229)))
  }

  @Test func `a clock that goes back does not advance the pause`() {
    var pause = IdlePause(usedAt: .seconds(100), limit: .seconds(5))
    pause.use(at: .seconds(50))
    #expect(pause.lastUse == .seconds(100))
    #expect(!pause.isDue(at: .seconds(104)))
    #expect(pause.isDue(at: .seconds(105)))
  }
}
