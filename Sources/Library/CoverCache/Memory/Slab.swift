/// An array of optional elements that is read without reference counting.
///
/// Threads that read a shared `Array` may count a reference to its storage and contend for the
/// cache line of the count.
struct Slab<Element>: ~Copyable {
  private var elements: UnsafeMutableBufferPointer<Element?>
  /// The number of elements, including empty ones.
  private(set) var count = 0

  init() { elements = Slab.allocate(16) }

  deinit {
    elements.deinitialize()
    elements.deallocate()
  }

  /// Accesses an element from 0 to below `count`.
  subscript(index: Int) -> Element? {
    get { elements[index] }
    set { elements[index] = newValue }
  }

  /// Returns whether the element of an index satisfies a condition.
  func satisfies(_ index: Int, _ condition: (borrowing Element) -> Bool) -> Bool {
    switch elements[index] {
    case .some(let element): condition(element)
    case .none: false
    }
  }

  /// Appends an element.
  mutating func append(_ element: Element) {
    if count == elements.count {
      let larger = Slab.allocate(count * 2)
      for index in 0..<count { swap(&larger[index], &elements[index]) }
      elements.deinitialize()
      elements.deallocate()
      elements = larger
    }
    elements[count] = element
    count += 1
  }

  private static func allocate(_ capacity: Int) -> UnsafeMutableBufferPointer<Element?> {
    let elements = UnsafeMutableBufferPointer<Element?>.allocate(capacity: capacity)
    elements.initialize(repeating: nil)
    return elements
  }
}
