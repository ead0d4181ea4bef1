// The tracks of a timeline on a canvas. A view has the period `from`, `to` in microseconds, the `width`, the
// `launch`, the ends of its `axes`, the chosen `frame` and the `drag` of the pointer.
perfkit.tracks = (function () {
  "use strict";
  const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
  const LABEL = 16, FRAMES = 96, LANE = 14, SERIES = 48, GAP = 8, AXIS = 20;
  const EVENT = 2;
  const TITLES = { cpu: "CPU use", rss: "resident memory" };
  const { human, ink } = perfkit;
  const spanColour = perfkit.palette.span;

  function time(microseconds) {
    return microseconds === 0 ? "0 s" : human(microseconds * 1000, "time");
  }

  // Returns a moment in microseconds with the digits that moments at steps of this size need.
  function moment(at, step) {
    if (at < step / 2) return "0 s";
    const [factor, unit] = at >= 1e6 ? [1e6, "s"] : at >= 1e3 ? [1e3, "ms"] : [1, "us"];
    const digits = Math.ceil(-Math.log10(step / factor) - 1e-9);
    return `${Number((at / factor).toFixed(Math.min(Math.max(digits, 0), 9)))} ${unit}`;
  }

  function isEvent(span) { return span.kind === EVENT; }

  function amount(name, value) {
    return name === "cpu" ? `${Number((value * 100).toPrecision(3))}%` : human(value, "size");
  }

  function step(span, count) {
    const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  }

  // Returns the tracks {name, title, y, height} from top to bottom.
  function list(launch) {
    const { frames, lanes, series } = launch;
    const found = [];
    if (frames.length) found.push({ name: "frames", title: "cost of frames", height: FRAMES });
    for (const name of ["phases", "signposts"]) {
      if (lanes[name]) found.push({ name, title: name, height: lanes[name] * LANE });
    }
    for (const one of series) {
      found.push({ name: one.name, title: TITLES[one.name], height: SERIES, series: one });
    }
    let y = 0;
    for (const track of found) {
      track.y = y + LABEL;
      y = track.y + track.height + GAP;
    }
    return found;
  }

  function draw(canvas, view) {
    const last = view.shownTracks[view.shownTracks.length - 1];
    const bottom = last.y + last.height;
    const context = perfkit.context(canvas, view.width, bottom + AXIS);
    context.font = FONT;
    drawAxis(context, view, bottom);
    const drawings = { frames: drawFrames, phases: drawSpans, signposts: drawSpans };
    for (const track of view.shownTracks) {
      (drawings[track.name] || drawSeries)(context, view, track);
      context.fillStyle = ink("dim");
      context.fillText(track.label || track.title, 0, track.y - 4);
    }
    if (!view.drag) return;
    const [left, right] = [view.drag.from, view.drag.to].sort((a, b) => a - b);
    context.fillStyle = ink("primary");
    context.globalAlpha = 0.18;
    context.fillRect(left, 0, right - left, bottom);
  }

  function drawAxis(context, view, bottom) {
    const size = step(view.to - view.from, Math.max(view.width / 110, 2));
    context.strokeStyle = ink("rule");
    context.fillStyle = ink("dim");
    for (let at = Math.ceil(view.from / size) * size; at <= view.to; at += size) {
      const x = Math.round(view.x(at)) + 0.5, label = moment(at, size);
      context.beginPath();
      context.moveTo(x, LABEL);
      context.lineTo(x, bottom);
      context.stroke();
      const width = context.measureText(label).width;
      context.fillText(label, Math.min(Math.max(x - width / 2, 0), view.width - width), bottom + 14);
    }
  }

  function drawFrames(context, view, track) {
    const { period, frames } = view.launch, base = track.y + track.height;
    const colours = { hitch: ink("bad"), onTime: ink("primary"), chosen: ink("ink") };
    track.label = `${track.title}, up to ${time(view.axes.top)}`
      + (period > 0 ? `; line: budget ${time(period)}` : "");
    for (const frame of frames) {
      const left = view.x(frame.began), right = view.x(frame.began + frame.cost);
      if (right < 0 || left > view.width) continue;
      const height = Math.min(frame.cost / view.axes.top, 1) * track.height;
      context.fillStyle = frame === view.frame ? colours.chosen
        : frame.hitch > 0 ? colours.hitch : colours.onTime;
      context.fillRect(left, base - height, Math.max(right - left - 0.5, 1), height);
    }
    if (period <= 0) return;
    const y = Math.round(base - period / view.axes.top * track.height) + 0.5;
    context.strokeStyle = ink("ink");
    context.setLineDash([5, 3]);
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(view.width, y);
    context.stroke();
    context.setLineDash([]);
  }

  function drawSpans(context, view, track) {
    for (const span of view.launch.spans) {
      if (span.track !== track.name) continue;
      const left = view.x(span.began), right = view.x(span.began + span.duration);
      if (right < 0 || left > view.width) continue;
      const y = track.y + span.lane * LANE, width = Math.max(right - left - 0.5, 1);
      context.fillStyle = isEvent(span) ? ink("bad") : spanColour(span.name);
      context.fillRect(left, y, width, LANE - 2);
      const name = view.data.names[span.name];
      if (width < 24 || context.measureText(name).width > width - 6) continue;
      context.fillStyle = ink("ink");
      context.fillText(name, Math.max(left, 0) + 3, y + 10);
    }
  }

  function drawSeries(context, view, track) {
    const { times, values, name } = track.series, base = track.y + track.height;
    const most = view.axes.series[name] || 1;
    track.label = `${track.title}, up to ${amount(name, most)}`;
    context.strokeStyle = ink("primary");
    context.lineWidth = 1.4;
    context.beginPath();
    const y = (value) => base - value / most * (track.height - 2);
    times.forEach((at, i) => context.lineTo(view.x(at), y(values[i])));
    context.stroke();
    if (times.length === 1) {
      // A launch of a few readings' time: a line needs two.
      context.fillStyle = ink("primary");
      context.beginPath();
      context.arc(view.x(times[0]), y(values[0]), 2.5, 0, 2 * Math.PI);
      context.fill();
    }
    context.lineWidth = 1;
  }

  return { list, draw, time, moment, amount, isEvent, TITLES };
})();
