import PerfModel
import Testing

@testable import PerfReport

/// Time and memory of library code, which count for functions of the program.
struct FoldingTests {
  @Test func `time in libraries is charged to the calling function of the program`() {
    let blame = Blame(SmallTree.sample, launches: 2)
    #expect(blame.time == ["decode": 4e6, "blend": 1e6])
  }

  @Test(arguments: [
    ("specialized UnsafeMutablePointer.assign(from:count:)", true),
    ("specialized Array._makeMutableAndUnique()", true), ("_init", true),
    ("closure #1 in Sequence.map(_:)", true), ("specialized ShelfPainter.paint(_:at:cell:)", false),
    ("closure #1 in closure #2 in JPEGDecoder.decode(_:)", false), ("SetOfBooks.add(_:)", false),
    ("static ColorCube.box(of:)", false), ("main", false), ("memcpy@plt", true), (".plt", true),
    ("static SIMD4<>.&+= infix(_:_:)", true), ("SIMD16.subscript.getter", true),
    ("static Int.+ infix(_:_:)", true), ("static Equatable.!= infix(_:_:)", true),
    ("specialized static Comparable.>= infix(_:_:)", true), ("specialized min<A>(_:_:)", true),
    ("static Pixel.+ infix(_:_:)", false), ("Int.roundedUp(to:)", false), ("min(_:)", false),
    ("swapped<A>(_:)", false), ("SIMDPainter.paint()", false),
  ])
  func `code of the standard library is not the program's`(name: String, isLibrary: Bool) {
    #expect(ProgramCode.isLibraryCode(name) == isLibrary)
  }

  /// draw() with inlined code of the standard library and a thunk; below each one a library's function, and
  /// the kernel's below that.
  private static let mixed: Profile = {
    let names = [
      "_start", "draw()", "specialized UnsafeMutablePointer.assign(from:count:)", "thunk",
      "swift_retain", "clear_page", "blend()", "[read]",
    ]
    let files = [
      nil, "Draw.swift", "Draw.swift", "/<compiler-generated>", nil, nil, "Draw.swift", nil,
    ]
    let modules = ["App", "App", "App", "App", "libswiftCore.so", "[kernel]", "App", ""]
    return Profile(
      functions: names.indices.map {
        .init(name: names[$0], key: names[$0], module: modules[$0], file: files[$0])
      },
      nodes: [
        .init(parent: -1, function: 0, line: 0, isInlined: false),
        .init(parent: 0, function: 1, line: 1, isInlined: false),
        .init(parent: 1, function: 2, line: 1, isInlined: true),
        .init(parent: 1, function: 3, line: 0, isInlined: false),
        .init(parent: 3, function: 4, line: 0, isInlined: false),
        .init(parent: 4, function: 5, line: 0, isInlined: false),
        // A function of the program that library code calls.
        .init(parent: 2, function: 6, line: 2, isInlined: true),
        .init(parent: 1, function: 7, line: 0, isInlined: false),
        .init(parent: 0, function: 5, line: 0, isInlined: false),
      ],
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: [1, 2, 4, 8, 16, 32, 64, 128, 256].enumerated().map { SmallTree.count($0, $1) },
      timeline: [
        0: [
          .init(
            time: 1, node: 5, thread: 0, serial: 1, phase: 0, frameClass: .none, state: .running,
            cpu: nil)
        ]
      ], audit: ProfileAudit())
  }()

  @Test func `generated code is charged to its caller`() {
    // The start code and the kernel below it have no function of the program above them.
    #expect(
      Blame(Self.mixed, launches: 1).time
        == ["_start": 1e6, "draw()": 190e6, "blend()": 64e6, "clear_page": 256e6])
  }

  @Test(arguments: [
    (Folding.none, true, ["_start": 1, "draw()": 2, "thunk": 8, "swift_retain": 16]),
    (.inlined, true, ["_start": 1, "draw()": 14, "swift_retain": 16, "clear_page": 288]),
    (.inlined, false, ["_start": 257, "draw()": 14, "swift_retain": 48, "blend()": 64]),
    (.library, true, ["_start": 1, "draw()": 62, "clear_page": 256, "blend()": 64]),
    (.library, false, ["_start": 257, "draw()": 62, "[read]": 128, "blend()": 64]),
    (.none, false, ["_start": 257, "thunk": 8, "swift_retain": 48]),
  ])
  func `folded code counts for the function of the program above it`(
    folding: Folding, showsKernel: Bool, expected: [String: Double]
  ) {
    let profile = folding.apply(to: Self.mixed, showsKernel: showsKernel)
    var times: [String: Double] = [:]
    for count in profile.counts {
      times[profile.functions[profile.nodes[count.node].function].name, default: 0] +=
        count.weight / 1e6
    }
    for (name, time) in expected { #expect(times[name] == time, "\(name) in \(times)") }
    #expect(times.values.reduce(0, +) == 511)
    #expect(profile.nodes.enumerated().allSatisfy { $1.parent < $0 })
    // The time line follows.
    let moment = profile.timeline[0]?.first.map { profile.nodes[$0.node].function }
    let innermost =
      showsKernel && folding != .library ? 5 : folding == .library ? 1 : 4
    #expect(moment == innermost)
  }

  /// Compilers name the files of their standard libraries so in debug information (gcc 12, clang 14, rustc 1.95).
  @Test(arguments: [
    "/usr/include/c++/12/bits/stl_algo.h",
    "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/stl_algo.h",
    "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/slice/sort.rs",
  ])
  func `inlined code of C++ and Rust is charged to the function that it is inlined into`(
    file: String
  ) {
    let profile = Profile(
      functions: [
        .init(name: "sortBooks", key: "sortBooks", module: "App", file: "/home/ada/books.cpp"),
        .init(name: "partition", key: "partition", module: "App", file: file),
      ],
      nodes: [
        .init(parent: -1, function: 0, line: 4, isInlined: false),
        .init(parent: 0, function: 1, line: 1940, isInlined: true),
      ],
      threads: [.init(name: "main", cpu: 0)], phases: [""], counts: [SmallTree.count(1, 3)],
      timeline: [:], audit: ProfileAudit())
    #expect(Blame(profile, launches: 1).time == ["sortBooks": 3e6])
  }

  @Test func `memory is charged to the allocating function of the program`() throws {
    let profile = SmallTree.profile([
      SmallTree.count(2, 3, state: .allocated), SmallTree.count(2, 1, state: .liveEnd),
      SmallTree.count(3, 7),
    ])
    let blame = Blame(profile, launches: 2, state: .allocated)
    #expect(blame.time == ["decode": 1.5e6])
    #expect(Blame(profile, launches: 2, state: .liveEnd).time == ["decode": 0.5e6])
    #expect(Blame(profile, launches: 1).time == ["blend": 7e6])
  }

  @Test
  func `memory of an object is charged to the function that creates it, time to its initialiser`() {
    let names = ["main", "Cover.__allocating_init(of:)", "swift_allocObject"]
    let profile = Profile(
      functions: names.indices.map {
        .init(
          name: names[$0], key: names[$0], module: $0 < 2 ? "App" : "libswiftCore.so",
          file: $0 < 2 ? "App.swift" : nil)
      },
      nodes: names.indices.map { .init(parent: $0 - 1, function: $0, line: 1, isInlined: false) },
      threads: [.init(name: "main", cpu: 0)], phases: [""],
      counts: [SmallTree.count(2, 3, state: .allocated), SmallTree.count(2, 1)], timeline: [:],
      audit: ProfileAudit())
    #expect(Blame(profile, launches: 1, state: .allocated).time == ["main": 3e6])
    #expect(Blame(profile, launches: 1).time == ["Cover.__allocating_init(of:)": 1e6])
  }
}
