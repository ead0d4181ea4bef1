internal import CoverCache

/// A palette made by a Python package, if it is installed.
enum PythonPalette: CaseIterable {
  case pillow
  case colorThief

  /// The colours of a picture and the time to read and to quantize its file.
  struct Result {
    let colours: [RGBA]
    let nanoseconds: Double
  }

  /// The name in tables.
  var title: String {
    switch self {
    case .pillow: "Pillow's 1/8 draft and quantize"
    case .colorThief: "ColorThief"
    }
  }

  /// The text of tables for a package that is not installed.
  var missing: String { "\(title): not installed (pip install \(package.name))" }

  private var package: PythonPackage {
    switch self {
    case .pillow:
      PythonPackage(name: "Pillow", imports: "import json, sys, time\nfrom PIL import Image")
    case .colorThief:
      PythonPackage(
        name: "colorthief", imports: "import json, sys, time\nfrom colorthief import ColorThief")
    }
  }

  /// Returns the colours of a file as a list of red, green and blue.
  private var function: String {
    switch self {
    case .pillow:
      """
      def colours(path, count):
          image = Image.open(path)
          image.draft("RGB", (image.width // 8, image.height // 8))
          values = image.convert("RGB").quantize(colors=count).getpalette()
          return values[:3 * count]
      """
    case .colorThief:
      """
      def colours(path, count):
          palette = ColorThief(path).get_palette(color_count=count)
          return [value for colour in palette for value in colour]
      """
    }
  }

  /// Returns the results for files, in their order; nil if the package is not installed.
  func results(for pictures: [BenchPicture], colours: Int) throws -> [Result]? {
    guard package.version != nil else { return nil }
    let program = """
      \(function)
      for path in json.load(open(sys.argv[1])):
          began = time.perf_counter()
          values = colours(path, int(sys.argv[2]))
          print(int((time.perf_counter() - began) * 1e9), *values)
      """
    return try package.lines(of: program, on: pictures.map(\.path), "\(colours)").map { line in
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      let values = numbers.dropFirst().map { UInt8(clamping: $0) }
      return Result(
        colours: stride(from: 0, to: values.count - 2, by: 3).map { index in
          RGBA(red: values[index], green: values[index + 1], blue: values[index + 2])
        },
        nanoseconds: Double(numbers.first ?? 0))
    }
  }
}
