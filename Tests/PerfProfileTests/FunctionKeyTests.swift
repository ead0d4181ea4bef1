import Testing

@testable import PerfProfile

@Suite struct FunctionKeyTests {
  @Test(arguments: [
    // What swift-demangle --simplified makes of closures and of what the optimiser derives.
    ("closure #1 in Cache.load(_:)", "closure in Cache.load(_:)"),
    ("closure #12 in closure #1 in run()", "closure in closure in run()"),
    ("implicit closure #2 in run()", "implicit closure in run()"),
    ("specialized Dictionary.subscript.getter", "Dictionary.subscript.getter"),
    ("partial apply for closure #1 in run()", "closure in run()"),
    ("(2) await resume partial function for Loader.cover(_:)", "Loader.cover(_:)"),
    ("(1) suspend resume partial function for specialized run()", "run()"),
    ("merged Cache.count.getter", "Cache.count.getter"),
    // As the runtime's own demangler writes it.
    ("generic specialization <Swift.Int> of main.sum<A>(A) -> A", "main.sum<A>(A) -> A"),
    (
      "main.(hidden in _0123456789ABCDEF0123456789ABCDEF)(Swift.Int) -> ()",
      "main.(hidden)(Swift.Int) -> ()"
    ),
    // Clones of the optimisers of C, C++ and Rust.
    ("decode_mcu.cold", "decode_mcu"),
    ("decode_mcu.part.3.constprop.0", "decode_mcu"),
    ("sort(int*) [clone .isra.0]", "sort(int*)"),
    ("main::{lambda(int)#2}::operator()(int) const", "main::{lambda(int)}::operator()(int) const"),
    ("core::slice::sort::h0123456789abcdef", "core::slice::sort"),
    // Names that only look like it.
    ("operator#", "operator#"),
    ("Row in _table", "Row in _table"),
    ("core::hash::hasher", "core::hash::hasher"),
    ("", ""),
  ])
  func `a key has nothing that changes from build to build`(name: String, key: String) {
    #expect(FunctionKey.key(of: name) == key)
  }

  @Test(arguments: [true, false])
  func `Swift and C++ names are demangled with and without the toolchain's tool`(hasTool: Bool) {
    // `s.outer(Swift.Int) -> Swift.Int`, the second is std::sort's helper for two iterators.
    let names: Set = ["$s1s5outeryS2iF", "_ZN7shelves5countEi", "plain"]
    let path = hasTool ? ToolPaths.found().demangler : nil
    let demangled = Demangler(path: path).demangle(names)
    #expect(
      demangled["$s1s5outeryS2iF"] == (hasTool ? "outer(_:)" : "s.outer(Swift.Int) -> Swift.Int"))
    #expect(demangled["_ZN7shelves5countEi"] == "shelves::count(int)")
    #expect(demangled["plain"] == nil)
  }
}
