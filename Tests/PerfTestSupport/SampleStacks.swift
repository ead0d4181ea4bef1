internal import PerfModel

/// The stacks of sample profiles.
enum SampleStacks {
  struct Frame {
    let function: Profile.Function
    let line: Int
    var isInlined = false
    var isAsync = false
  }

  /// A stack, outermost frame first, with its frequency.
  struct Path {
    let weight: Double
    let thread: Int
    let phase: Int
    var state = Profile.State.running
    let frames: [Frame]
  }

  static let threads = ["BookWorkloads", "cover-loader-1", "cover-loader-2"]
  static let phases = ["", "layout", "cache", "decode", "palette", "composite"]

  static func paths(isNaive: Bool) -> [Path] {
    isNaive ? naive : optimised
  }

  private static let naive: [Path] = {
    let decode = frame + [full, turbo]
    let palette = frame + [swift("CoverPalette.histogram(of:)", "CoverPalette.swift", 71)]
    return [
      Path(weight: 31, thread: 0, phase: 3, frames: decode + [native("jsimd_idct_islow_avx2")]),
      Path(weight: 27, thread: 0, phase: 3, frames: decode + [native("decode_mcu")]),
      Path(
        weight: 12, thread: 0, phase: 3, frames: decode + [native("jsimd_ycc_extrgbx_convert_avx2")]
      ),
      Path(weight: 6, thread: 0, phase: 3, frames: decode + [memcpy]),
      Path(
        weight: 9, thread: 0, phase: 4, frames: palette + [subscripting, runtime("swift_retain")]),
      Path(
        weight: 6, thread: 0, phase: 4,
        frames: palette + [subscripting, library("Hasher._finalize()")]),
    ] + shared
  }()

  private static let optimised: [Path] = {
    let loads = [1, 2].flatMap { thread -> [Path] in
      let decode = loader + [scaled, turbo]
      return [
        Path(
          weight: 9, thread: thread, phase: 3, frames: decode + [native("jsimd_idct_2x2_avx2")]),
        Path(weight: 8, thread: thread, phase: 3, frames: decode + [native("decode_mcu")]),
        Path(weight: 2, thread: thread, phase: 3, frames: decode + [memcpy]),
        Path(
          weight: 3, thread: thread, phase: 0, state: .runnable, frames: decode + [memcpy]),
        Path(
          weight: 5, thread: thread, phase: 0, state: .waiting,
          frames: loader + [system("pthread_cond_wait")]),
      ]
    }
    let lookup = frame + [swift("CoverCache.image(for:)", "CoverCache.swift", 140)]
    return loads + [
      Path(
        weight: 4, thread: 0, phase: 2,
        frames: lookup + [subscripting, library("Hasher._finalize()")])
    ] + shared
  }()

  private static let shared: [Path] = {
    let composite = frame + [swift("Compositor.blend(_:at:)", "Compositor.swift", 58)]
    return [
      Path(weight: 14, thread: 0, phase: 5, frames: composite),
      Path(weight: 8, thread: 0, phase: 5, frames: composite + [memcpy]),
      Path(
        weight: 3, thread: 0, phase: 1,
        frames: frame + [swift("GridLayout.visibleCells(in:)", "GridLayout.swift", 33)]),
      Path(weight: 1, thread: 0, phase: 0, frames: measure + [system("clock_nanosleep")]),
    ]
  }()

  private static let measure = [
    system("_start", module: "BookWorkloads"), system("__libc_start_main"),
    swift("main", "main.swift", 9),
    swift("WorkloadSuite.run()", "WorkloadSuite.swift", 88),
    swift("ScrollWorkload.measure()", "ScrollWorkload.swift", 61),
  ]

  private static let frame =
    measure + [
      swift("FrameClock.run(_:)", "FrameClock.swift", 102),
      swift("ScrollWorkload.frame(at:)", "ScrollWorkload.swift", 84),
    ]

  private static let loader = [
    system("start_thread"),
    Frame(
      function: function("CoverLoader.load(_:)", "BookWorkloads", "CoverLoader.swift"), line: 47,
      isAsync: true),
    swift("CoverLoader.work()", "CoverLoader.swift", 66),
  ]

  private static let full = swift("JPEGDecoder.decode(_:)", "JPEGDecoder.swift", 39)
  private static let scaled = swift("JPEGDecoder.decode(_:fitting:)", "JPEGDecoder.swift", 63)
  private static let turbo = native("tjDecompress2")
  private static let memcpy = system("__memcpy_avx_unaligned_erms")
  private static let subscripting = Frame(
    function: function("Dictionary.subscript.modify", "BookWorkloads", nil), line: 0,
    isInlined: true)

  private static func swift(_ name: String, _ file: String, _ line: Int) -> Frame {
    Frame(function: function(name, "BookWorkloads", file), line: line)
  }

  private static func native(_ name: String) -> Frame {
    Frame(function: function(name, "libturbojpeg.so.0", nil), line: 0)
  }

  private static func runtime(_ name: String) -> Frame {
    Frame(function: function(name, "libswiftCore.so", nil), line: 0)
  }

  private static func library(_ name: String) -> Frame {
    Frame(function: function(name, "libswiftCore.so", nil), line: 0, isInlined: true)
  }

  private static func system(_ name: String, module: String = "libc.so.6") -> Frame {
    Frame(function: function(name, module, nil), line: 0)
  }

  private static func function(_ name: String, _ module: String, _ file: String?)
    -> Profile.Function
  {
    .init(
      name: name, key: "\(module) \(name)",
      signature: name.contains("(") ? "\(module).\(name) -> ()" : nil, module: module, file: file)
  }
}
