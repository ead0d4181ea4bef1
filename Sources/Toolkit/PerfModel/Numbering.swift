/// Distinct elements, numbered in the order in which they were added.
package struct Numbering<Element: Hashable> {
  package private(set) var all: [Element] = []
  private var numbers: [Element: Int] = [:]

  /// Creates an empty numbering.
  package init() {}

  /// Returns the number of an element, and adds the element if it is new.
  package mutating func number(of element: Element) -> Int {
    if let number = numbers[element] { return number }
    let number = all.count
    all.append(element)
    numbers[element] = number
    return number
  }
}
