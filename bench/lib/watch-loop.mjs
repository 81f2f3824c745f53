/**
 * Loaded into a program before it (`--import`): says over the channel to its parent how late its event loop was, each
 * time it is asked, and begins anew.
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
