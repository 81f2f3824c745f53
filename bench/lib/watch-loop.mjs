/**
 * Preloaded into a program (`--import`): reports its event loop delay to the parent process on each request, and resets
 * it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 1
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
const toMs = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)

process.on('message', (message) => {
  if (message !== 'event-loop-delay') return
  process.send({ p99Ms: toMs(delay.percentile(99)), maxMs: toMs(delay.max) })
  delay.reset()
})
process.channel?.unref()
