/** Metrics of the running program for a monitoring system. Counters start at zero with each start. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { RUN_STATUSES } from '../../../../shared/contract/flow-runs.ts'
import type { Clock, SendRequest } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { Counter, type Family, gauge, Histogram, writeExposition } from './exposition.ts'

export type MetricsService = ReturnType<typeof createMetrics>

export interface MetricsOptions {
  readonly store: Pick<Store, 'maintenance'>
  readonly events: Pick<EventsService, 'listen'>
  readonly clock: Pick<Clock, 'now'>
  readonly version: string
  readonly startedAt: Date
}

const ENDED: readonly string[] = RUN_STATUSES.filter(
  (status) => status === 'success' || status === 'error' || status === 'cancelled',
)

export function createMetrics({ store, events, clock, version, startedAt }: MetricsOptions) {
  const runs = new Counter('millrace_runs_total', 'Finished runs by status.', 'status', ENDED)
  const durations = new Histogram(
    'millrace_run_duration_seconds',
    'Time from the start of a run to its end.',
    [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
  )
  const webhooks = new Counter(
    'millrace_webhook_requests_total',
    'Webhook requests by the status code of their response.',
    'status',
    ['200'],
  )
  const calls = new Counter(
    'millrace_outgoing_requests_total',
    'HTTP requests sent by flows and tests, by status code; error if there was no response.',
    'status',
    ['200', 'error'],
  )
  const lateness = new Histogram(
    'millrace_schedule_lateness_seconds',
    'Time between the moment a scheduled run was due and the moment it was accepted.',
    [0.1, 0.5, 1, 5, 15, 60, 300, 3_600],
  )
  let delays: ReturnType<typeof monitorEventLoopDelay> | null = null

  events.listen(({ noun, type, status }) => {
    if (noun === 'flow_run' && type === 'updated' && typeof status === 'string' && ENDED.includes(status))
      runs.add(status)
  })

  /**
   * Measuring delays wakes the process many times a second, so it only starts with the first reading. Each reading
   * covers the time since the previous one.
   */
  function readDelays(): readonly Family[] {
    delays ??= startDelays()
    const of = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000)
    const [p50, p99, max] =
      delays.count === 0 ? [0, 0, 0] : [delays.percentile(50), delays.percentile(99), delays.max].map(of)
    delays.reset()
    const since = 'of the event loop since the previous reading, 0 in the first one.'
    return [
      gauge('nodejs_eventloop_lag_p50_seconds', `Median delay ${since}`, p50 ?? 0),
      gauge('nodejs_eventloop_lag_p99_seconds', `99th percentile of the delay ${since}`, p99 ?? 0),
      gauge('nodejs_eventloop_lag_max_seconds', `Longest delay ${since}`, max ?? 0),
    ]
  }

  function readQueue(): readonly Family[] {
    const { count, oldestAt } = store.maintenance.waiting()
    const age = oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1_000
    return [
      gauge('millrace_queued_runs', 'Runs that wait for a place.', count),
      gauge('millrace_queued_runs_oldest_seconds', 'Age of the oldest queued run; 0 if there is none.', age),
    ]
  }

  function readSizes(): readonly Family[] {
    const { bytes, logBytes } = store.maintenance.size()
    return [
      gauge('millrace_database_bytes', 'Size of the database.', bytes),
      gauge('millrace_database_wal_bytes', "Size of the database's write-ahead log.", logBytes),
    ]
  }

  return {
    /** The metrics in the Prometheus text format. */
    read: () =>
      writeExposition([
        gauge('millrace_build_info', 'Always 1; the version is a label.', 1, { version }),
        runs.read(),
        durations.read(),
        ...readQueue(),
        webhooks.read(),
        calls.read(),
        lateness.read(),
        ...readSizes(),
        ...readDelays(),
        ...readProcess(startedAt),
      ]),
    noteRunEnd: (durationMs: number) => durations.add(durationMs / 1_000),
    noteWebhook: (status: number) => webhooks.add(String(status)),
    noteScheduledRun: (latenessMs: number) => lateness.add(Math.max(0, latenessMs) / 1_000),
    /** Wraps the function to count its calls. */
    countCalls:
      (send: SendRequest): SendRequest =>
      async (request, options) => {
        try {
          const response = await send(request, options)
          calls.add(String(response.status))
          return response
        } catch (error) {
          calls.add('error')
          throw error
        }
      },
  }
}

/** The names that Prometheus and its client for Node use. */
function readProcess(startedAt: Date): readonly Family[] {
  const { rss, heapUsed, heapTotal } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return [
    gauge('process_resident_memory_bytes', 'Resident memory.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Used memory of the JavaScript heap.', heapUsed),
    gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap.', heapTotal),
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time, user and system.',
      type: 'counter',
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge(
      'process_start_time_seconds',
      'When Millrace was started, as Unix time.',
      startedAt.getTime() / 1_000,
    ),
  ]
}

/** The sampling interval, which is included in every measured delay. */
const RESOLUTION_MS = 20

function startDelays(): ReturnType<typeof monitorEventLoopDelay> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return delays
}
