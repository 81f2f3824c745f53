/**
 * Preloaded into a program (`--import`, with `--expose-gc`): on each request collects garbage and reports the remaining
 * memory to the parent process.
 */
const MB = 1e6

process.on('message', (message) => {
  if (message !== 'memory') return
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send({ heapMb: heapUsed / MB, externalMb: external / MB, residentMb: rss / MB })
})
process.channel?.unref()
