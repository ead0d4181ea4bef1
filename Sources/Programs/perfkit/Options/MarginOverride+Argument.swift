internal import ArgumentParser
internal import PerfGate

extension MarginOverride: ExpressibleByArgument {}
