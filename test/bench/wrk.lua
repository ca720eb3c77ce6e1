-- Requests the paths in the file WRK_PATHS, one a line, in turn, and prints the outcome as one line of JSON.
local paths = {}
for path in io.lines(os.getenv("WRK_PATHS")) do
  paths[#paths + 1] = path
end
local place = 0

function request()
  place = place % #paths + 1
  return wrk.format("GET", paths[place])
end

function done(summary, latency)
  local errors = summary.errors
  local bad = errors.status + errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '\n{"count":%d,"bad":%d,"seconds":%f,"p50":%f,"p99":%f}\n',
    summary.requests, bad, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3
  ))
end
