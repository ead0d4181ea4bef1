internal import Glibc

/// The last stack of one ring, stored with its top at the end of a buffer.
///
/// Stacks of one thread end at the same address and differ at their low end, so the next stack
/// overwrites only that end. The drain uses the window to omit the unchanged part, and the unwinder
/// to restore it.
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
  /// The result is 0 for another thread or if the stacks do not end at the same address.
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
    // Compare blocks first: memcmp compares 32 bytes at a time but does not return where they
    // differ.
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

  /// Replaces the stack by the next one, whose top `shared` bytes are unchanged.
  ///
  /// - Parameters:
  ///   - low: The bytes below the shared ones.
  ///   - shared: The number of unchanged bytes at the top.
  ///   - address: The address of the lowest byte.
  ///   - serial: The thread.
  /// - Returns: The low bytes in this window; nil if the sizes are impossible.
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

/// The last stack of each ring, for a drain that stores only what has changed.
struct StackWindows {
  /// A reference to a window, because noncopyable values cannot be stored in a dictionary.
  private final class Box {
    var window: StackWindow
    init(capacity: Int) { window = StackWindow(capacity: capacity) }
  }

  private var boxes: [Int: Box] = [:]
  private let capacity: Int

  /// Creates windows for stacks of at most `capacity` bytes.
  init(capacity: Int) { self.capacity = capacity }

  /// Replaces the stack of a ring.
  ///
  /// - Returns: The bytes below those at the top that are unchanged, and the number of the unchanged ones.
  mutating func replace(
    by stack: UnsafeRawBufferPointer, at address: UInt64, serial: UInt32, ring: Int
  ) -> (kept: UnsafeRawBufferPointer, shared: Int) {
    let box = boxes[ring] ?? Box(capacity: capacity)
    boxes[ring] = box
    let shared = box.window.sharedBytes(with: stack, at: address, serial: serial)
    let kept = UnsafeRawBufferPointer(rebasing: stack.dropLast(shared))
    _ = box.window.take(low: kept, shared: shared, at: address, serial: serial)
    return (kept, shared)
  }

  /// Forgets a ring.
  mutating func remove(ring: Int) { boxes[ring] = nil }
}
