@_exported public import PerfProtocol

/// The values of a workload's parameters by name.
public typealias Parameters = [String: ParameterValue]
