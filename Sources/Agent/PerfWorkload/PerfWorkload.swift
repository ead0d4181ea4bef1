// Authors use `PressureLevel` and `SeededGenerator` of this module. Everything else in it is either
// `package` or a value that appears in a public declaration of the toolkit.
@_exported public import PerfProtocol
