internal import Glibc

/// The last stack of one ring, kept with its top at the end of a buffer.
///
/// Stacks of one thread end at the same address and differ at their low end, so the next one is
/// made by overwriting that end alone. The drain uses it to leave out what has not changed, the
/// unwinder to put it back.
struct StackWindow: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  private let capacity: Int
  private var serial: UInt32 = 0
  private var end: UInt64 = 0
  private(set) var bytes = 0

  /// Creates an empty window for stacks of at most `capacity` bytes.
  init(capacity: Int) {
    self.capacity = capacity
    memory = .allocate(byteCount: max(capacity, 8), alignment: 16)
  }

  deinit { memory.deallocate() }

  /// The stack, lowest address first.
  var stack: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + (capacity - bytes), count: bytes)
  }

  /// Returns how many bytes at the top of a stack equal the last one; a multiple of 8.
  ///
  /// It is 0 for another thread, or when the two do not end at the same address.
  func sharedBytes(
    with stack: UnsafeRawBufferPointer, at address: UInt64, serial: UInt32
  ) -> Int {
    guard serial == self.serial, address &+ UInt64(stack.count) == end,
      let theirs = stack.baseAddress
    else { return 0 }
    let most = min(bytes, stack.count)
    let ourTop = UnsafeRawPointer(memory + capacity)
    let theirTop = theirs + stack.count
    var shared = 0
    // Blocks first: memcmp compares 32 bytes at a time, but does not say where they differ.
    while shared + 512 <= most,
      memcmp(ourTop - shared - 512, theirTop - shared - 512, 512) == 0
    {
      shared += 512
    }
    while shared + 8 <= most,
      (ourTop - shared - 8).loadUnaligned(as: UInt64.self)
        == (theirTop - shared - 8).loadUnaligned(as: UInt64.self)
    {
      shared += 8
    }
    return shared
  }

  /// Takes the next stack, whose top `shared` bytes are as they were.
  ///
  /// - Parameters:
  ///   - low: The bytes below the shared ones.
  ///   - shared: How many bytes at the top stay.
  ///   - address: The address of the lowest byte.
  ///   - serial: The thread.
  /// - Returns: Those bytes in this window, or nil when the stack cannot be what it says.
  mutating func take(
    low: UnsafeRawBufferPointer, shared: Int, at address: UInt64, serial: UInt32
  ) -> UnsafeRawBufferPointer? {
    let total = low.count + shared
    guard total <= capacity, shared <= bytes || shared == 0 else { return nil }
    let place = memory + (capacity - total)
    if let source = low.baseAddress { place.copyMemory(from: source, byteCount: low.count) }
    bytes = total
    end = address &+ UInt64(total)
    self.serial = serial
    return UnsafeRawBufferPointer(start: place, count: low.count)
  }
}
