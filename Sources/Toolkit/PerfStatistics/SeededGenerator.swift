// `SeededGenerator` is the generator of every simulation in this module and in its tests.
@_exported public import PerfProtocol
