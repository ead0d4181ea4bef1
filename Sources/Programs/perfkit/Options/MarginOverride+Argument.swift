public import ArgumentParser
public import PerfGate

extension MarginOverride: ExpressibleByArgument {}
