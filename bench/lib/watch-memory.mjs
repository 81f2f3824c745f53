/**
 * Loaded into a program before it (`--import`, with `--expose-gc`): says over the channel to its parent what it still
 * holds once everything has been given up that can be, each time it is asked.
 */
const MB = 1e6

process.on('message', (message) => {
  if (message !== 'memory') return
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send({ heapMb: heapUsed / MB, externalMb: external / MB, residentMb: rss / MB })
})
process.channel?.unref()
