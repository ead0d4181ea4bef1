import PerfModel
import Testing

@testable import PerfProfile

@Suite struct FunctionKeyTests {
  @Test(arguments: [
    // swift-demangle --simplified writes closures and derived functions like this.
    ("closure #1 in Cache.load(_:)", "closure in Cache.load(_:)"),
    ("closure #12 in closure #1 in run()", "closure in closure in run()"),
    ("implicit closure #2 in run()", "implicit closure in run()"),
    ("specialized Dictionary.subscript.getter", "Dictionary.subscript.getter"),
    ("partial apply for closure #1 in run()", "closure in run()"),
    ("(2) await resume partial function for Loader.cover(_:)", "Loader.cover(_:)"),
    ("(1) suspend resume partial function for specialized run()", "run()"),
    ("merged Cache.count.getter", "Cache.count.getter"),
    // The Swift runtime's demangler writes them like this.
    ("generic specialization <Swift.Int> of main.sum<A>(A) -> A", "main.sum<A>(A) -> A"),
    (
      "main.(hidden in _0123456789ABCDEF0123456789ABCDEF)(Swift.Int) -> ()",
      "main.(hidden)(Swift.Int) -> ()"
    ),
    // Clones of the optimizers of C, C++ and Rust.
    ("decode_mcu.cold", "decode_mcu"),
    ("decode_mcu.part.3.constprop.0", "decode_mcu"),
    ("sort(int*) [clone .isra.0]", "sort(int*)"),
    ("main::{lambda(int)#2}::operator()(int) const", "main::{lambda(int)}::operator()(int) const"),
    ("core::slice::sort::h0123456789abcdef", "core::slice::sort"),
    // Names that only look like these.
    ("operator#", "operator#"),
    ("Row in _table", "Row in _table"),
    ("core::hash::hasher", "core::hash::hasher"),
    ("", ""),
  ])
  func `a key contains nothing that changes from build to build`(name: String, key: String) {
    #expect(FunctionKey.key(of: name) == key)
  }

  @Test(arguments: [true, false])
  func `Swift and C++ names are demangled with and without the toolchain's tool`(hasTool: Bool) {
    // `s.outer(Swift.Int) -> Swift.Int` and `shelves::count(int)`.
    let names: Set = ["$s1s5outeryS2iF", "_ZN7shelves5countEi", "plain"]
    let tools = hasTool ? ToolPaths.found() : ToolPaths(symbolizer: nil, demangler: nil)
    let demangled = Demangler(tools: tools).demangle(names)
    #expect(
      demangled["$s1s5outeryS2iF"] == (hasTool ? "outer(_:)" : "s.outer(Swift.Int) -> Swift.Int"))
    #expect(demangled["_ZN7shelves5countEi"] == "shelves::count(int)")
    #expect(demangled["plain"] == nil)
  }

  /// A function, a generic function and a trait's function as rustc 1.95 names them; the first two
  /// with LLVM's suffix for clones.
  private static let rustNames = [
    "_ZN1r4fill17h31e4c3fecfcc9de8E.llvm.1234": "r::fill",
    "_RINvNtCs6GmmlP4bgsG_1r5shelf5totalNtB2_5SmallEB4_.llvm.1234":
      "r::shelf::total::<r::shelf::Small>",
    """
    _ZN51_$LT$r..shelf..Small$u20$as$u20$r..shelf..Cover$GT$6weight17h18d6cbfc5548a099E
    """: "<r::shelf::Small as r::shelf::Cover>::weight",
    "_RNvXNtCs6GmmlP4bgsG_1r5shelfNtB2_5SmallNtB2_5Cover6weight":
      "<r::shelf::Small as r::shelf::Cover>::weight",
  ]

  @Test(.enabled(if: ToolPaths.found().rustDemangler != nil, "there is no c++filt here"))
  func `legacy and v0 Rust names are demangled without their hashes`() {
    let demangler = Demangler(tools: ToolPaths.found())
    #expect(demangler.demangle(Set(Self.rustNames.keys)) == Self.rustNames)
    // A C++ function that differs from a Rust name in one digit, and a C function.
    let others: Set = ["_ZN1r4fill16h31e4c3fecfcc9de8E", "_Registers"]
    let tools = ToolPaths(
      symbolizer: nil, demangler: nil, rustDemangler: ToolPaths.found().rustDemangler)
    #expect(
      Demangler(tools: tools).demangle(others)
        == Demangler(tools: ToolPaths(symbolizer: nil, demangler: nil)).demangle(others))
  }

  @Test func `without the tool legacy Rust names are demangled as C++ and v0 names stay mangled`() {
    let demangler = Demangler(tools: ToolPaths(symbolizer: nil, demangler: nil))
    #expect(
      demangler.demangle(["_ZN1r4fill17h31e4c3fecfcc9de8E", "_RNvCs6GmmlP4bgsG_1r4fill"])
        == ["_ZN1r4fill17h31e4c3fecfcc9de8E": "r::fill::h31e4c3fecfcc9de8"])
  }
}
