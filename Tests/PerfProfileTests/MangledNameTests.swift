import Testing

@testable import PerfProfile

/// Names of C++ that are short, and take minutes and gigabytes to be written out.
struct MangledNameTests {
  /// A function whose parameters are `p<int, int>` and, level by level, `p` of two of the one before.
  private static func doubled(_ levels: Int) -> String {
    var name = "_Z1f1pIiiE"
    for level in 0..<levels {
      let number = String(level, radix: 36, uppercase: true)
      name += "S_IS\(number)_S\(number)_E"
    }
    return name
  }

  private static let none = Demangler(tools: ToolPaths(symbolizer: nil, demangler: nil))
  private static let found = Demangler(tools: .found())

  @Test func `a name that refers to more and more of itself is not written out`() {
    // Level 0 refers to part 1, as S0_. 2^60 times "int" would be left.
    let name = Self.doubled(60)
    #expect(Self.none.demangle([name]) == [:])
    #expect(Self.doubled(2) == "_Z1f1pIiiES_IS0_S0_ES_IS1_S1_E")
    #expect(
      Self.none.demangle([Self.doubled(2)]).values.first
        == "f(p<int, int>, p<p<int, int>, p<int, int>>, "
        + "p<p<p<int, int>, p<int, int>>, p<p<int, int>, p<int, int>>>)")
  }

  /// Each level has three references, of which each doubles what there is at most.
  ///
  /// So the 10 bytes of level 0 become 10 x 8^5 = 327,680 with five more. What is there in truth doubles with each,
  /// to more than 2^19 with 19.
  @Test func `what is written out is bounded by what there was when it was first referred to`() {
    let levels = (0...30).filter { MangledName(Self.doubled($0)).isExpanded(within: 1 << 19) }
    #expect(levels == Array(0..<levels.count))
    #expect((6...19).contains(levels.count))
  }

  @Test(arguments: [
    // The same few parts over and over: std::vector's, and a class's of operators that end in S.
    ("_ZNSt6vectorIiSaIiEE9push_backERKiS1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_", true),
    ("_ZN5shelf4BookaSERKS0_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_S1_", true),
    // A template of two parameters.
    ("_Z1fIiiEvT_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_T_T0_", true),
    // Packs of 10 within each other: 10^5 of what is innermost.
    ("_Z1fIJiiiiiiiiiiEEvDpFvDpFvDpFvDpFvDpPT_EEEE", false),
    // A conversion, whose parameter stands behind it.
    ("_ZN1AcvT_IiEEv", false),
  ]) func `ordinary names are told from those that may be large`(name: String, isSmall: Bool) {
    #expect(MangledName(name).isExpanded(within: 1 << 19) == isSmall)
  }

  /// A name and operators whose letters look like a reference to a late part: what is there until then would be
  /// all that the real ones could refer to.
  @Test(arguments: ["4SZZ_", "lS4SZZ_", "aSEZ_", "DT5_SZZ_"])
  func `what only looks like a reference says nothing of others`(disguise: String) {
    let name = Self.doubled(60).replacing("_Z1f", with: "_Z\(disguise)")
    #expect(!MangledName(name).isExpanded(within: 1 << 19))
  }

  @Test(.enabled(if: ToolPaths.found().rustDemangler != nil, "there is no c++filt here"))
  func `large names are left to a tool, which is stopped when it comes to no end`() {
    // Sorted, the hostile one is between the others.
    let names = ["_ZN1AcvT_IiEEv", "_Z1f" + Self.doubled(60).dropFirst(4), "_ZN1BcvT_IiEEv"]
    #expect(names[1] < names[0])
    #expect(
      Self.found.demangle(Set(names)) == [
        names[0]: "A::operator int<int>()", names[2]: "B::operator int<int>()",
      ])
    #expect(Self.none.demangle([names[0]]) == [:])
  }
}
