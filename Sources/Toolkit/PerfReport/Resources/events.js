// The frames and spans of a launch.
perfkit.events = (function () {
  "use strict";
  const PHASE = 0, LANES = 6;
  const { numbers } = perfkit;

  function readFrames(text) {
    const found = numbers(text), frames = [];
    for (let i = 0, began = 0; i < found.length; i += 4) {
      began += found[i];
      frames.push({ began, cost: found[i + 1], hitch: found[i + 2], number: found[i + 3] });
    }
    return frames;
  }

  // Returns the spans, each in the first lane that is free; phases and other spans have their lanes.
  // Spans without a free lane are missing.
  function readSpans(text) {
    const found = numbers(text), spans = [], ends = { phases: [], signposts: [] };
    for (let i = 0, began = 0; i < found.length; i += 4) {
      began += found[i];
      const duration = found[i + 1], kind = found[i + 2], track = kind === PHASE ? "phases" : "signposts";
      let lane = ends[track].findIndex((end) => end <= began);
      if (lane < 0) lane = ends[track].length;
      if (lane >= LANES) continue;
      ends[track][lane] = began + duration;
      spans.push({ began, duration, kind, track, lane, name: found[i + 3] });
    }
    return { spans, lanes: { phases: ends.phases.length, signposts: ends.signposts.length } };
  }

  function read(launch) {
    const frames = readFrames(launch.frames), { spans, lanes } = readSpans(launch.spans);
    const ends = [...frames, ...spans].map((part) => part.began + (part.cost || part.duration || 0));
    const times = launch.series.map((series) => series.times[series.times.length - 1]);
    const end = [...ends, ...times].reduce((most, end) => Math.max(most, end), 1);
    return { ...launch, frames, spans, lanes, end };
  }

  // Returns the top of the axis of costs: a few very long frames would flatten the others.
  function highest(launch) {
    const costs = launch.frames.map((frame) => frame.cost).sort((a, b) => a - b);
    const most = costs[costs.length - 1] || 1;
    const usual = costs[Math.floor(costs.length * 0.9)] || 1;
    return Math.max(Math.min(most, Math.max(6 * launch.period, 1.2 * usual)), 1.25 * launch.period);
  }

  // Returns the ends of the axes of time, of costs and of each series that some launches share.
  function axes(launches) {
    const most = (values) => values.reduce((most, value) => Math.max(most, value), 0);
    const series = {};
    for (const { name, values } of launches.flatMap((launch) => launch.series)) {
      series[name] = most([series[name] || 0, ...values]);
    }
    return { end: most(launches.map((launch) => launch.end)), top: most(launches.map(highest)), series };
  }

  return { read, axes };
})();
