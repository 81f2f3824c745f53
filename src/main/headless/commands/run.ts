import {
  type FlowRun,
  listFlowRunsRoute,
  readFlowRunRoute,
  replayFlowRunRoute,
  reopenFlowRunRoute,
  resolveFlowRunRoute,
  resumeFlowRunRoute,
  RUN_STATUSES,
} from '../../../shared/contract/flow-runs.ts'
import { exportFlowRunRoute, exportRunHarRoute } from '../../../shared/contract/run-debugging.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { endOfRun, printRun, readWholeRun, statusOf } from '../support/described-run.ts'
import { findFlow, listAllFlows } from '../support/find-record.ts'
import { followed } from '../support/followed.ts'
import type { HostClient } from '../support/host-client.ts'
import { formatTable } from '../support/output.ts'
import { readCount } from '../support/read-count.ts'
import { writeText } from '../support/text-file.ts'
import { requireRunningHost, withHost } from '../support/with-host.ts'

export interface RunFilters {
  readonly flow?: string
  readonly status?: string
  readonly search?: string
  readonly count: string
}

export async function listRuns({ config, output }: CommandContext, options: RunFilters): Promise<void> {
  const count = readCount(options.count)
  const { runs, names } = await withHost(config, async (host) => ({
    runs: await newestRuns(host, { ...options, count }),
    names: await flowNames(host),
  }))
  const table = formatTable(
    ['ID', 'STATUS', 'STARTED', 'TOOK', 'FLOW', 'TITLE'],
    runs.map((run) => [
      run.id,
      statusOf(run),
      run.started_at ?? '',
      run.duration_ms === null ? '' : `${Math.round(run.duration_ms)} ms`,
      names.get(run.flow_id) ?? run.flow_id,
      run.title,
    ]),
  )
  output.answer(runs, runs.length === 0 ? 'No matching runs.' : table)
}

export async function showRun(
  { config, output }: CommandContext,
  { steps = false }: { readonly steps?: boolean },
  id: string,
): Promise<void> {
  const whole = await withHost(config, async (host) =>
    readWholeRun(host, await host.call(readFlowRunRoute, { params: { id } }), steps),
  )
  printRun(output, whole)
}

export interface ExportOptions {
  readonly har?: boolean
  readonly out?: string
}

/** Exports a run for a report, or with `--har` for developer tools. */
export async function exportRun(
  { config, output }: CommandContext,
  { har = false, out }: ExportOptions,
  id: string,
): Promise<void> {
  const route = har ? exportRunHarRoute : exportFlowRunRoute
  const file = await withHost(config, (host) => host.call(route, { params: { id } }))
  // The file was parsed from JSON, so it is data; the compiler can't infer that.
  const text = `${writeJson(file as unknown as Data, 2)}\n`
  if (out === undefined) {
    process.stdout.write(text)
    return
  }
  writeText(out, text)
  output.answer({ id, file: out }, `Wrote run ${id} to ${out}`)
}

/** Prints the newest runs and then each change of a run, until it is stopped or has printed `--count` lines. */
export async function tailRuns(
  { config, output, readerGone }: CommandContext,
  { flow, count }: { readonly flow?: string; readonly count?: string },
): Promise<void> {
  const most = count === undefined ? Infinity : readCount(count)
  const host = await requireRunningHost(config)
  const names = await flowNames(host)
  const filters = flow === undefined ? {} : { flow }
  const seen = new Set<string>()
  const read = () => newestRuns(host, { ...filters, count: 20 })
  for await (const runs of followed(host, ['flow_run'], read, readerGone))
    for (const run of runs.toReversed()) {
      const state = `${run.id} ${run.status} ${run.attempt}`
      if (seen.has(state)) continue
      seen.add(state)
      output.line(run, describeLine(run, names))
      if (seen.size === most) return
    }
}

/** Replays and resumed runs are queued, and only a running Millrace processes the queue. */
export async function replayRun(
  context: CommandContext,
  {
    version,
    record = false,
    wait,
  }: { readonly version?: string; readonly record?: boolean; readonly wait: boolean },
  id: string,
): Promise<ExitCode> {
  const body = { ...(version !== undefined && { version: readCount(version, '--version') }), record }
  const host = await requireRunningHost(context.config)
  const started = await host.call(replayFlowRunRoute, { params: { id }, body })
  if (wait) return printEnd(context, host, started.flow_run_id)
  context.output.answer(started, `Started run ${started.flow_run_id}`)
  return EXIT.ok
}

export async function resumeRun(
  context: CommandContext,
  { wait }: { readonly wait: boolean },
  id: string,
): Promise<ExitCode> {
  const host = await requireRunningHost(context.config)
  const resumed = await host.call(resumeFlowRunRoute, { params: { id } })
  if (wait) return printEnd(context, host, resumed.flow_run_id)
  context.output.answer(resumed, `Run ${resumed.flow_run_id} continues`)
  return EXIT.ok
}

export async function resolveRun(
  { config, output }: CommandContext,
  { note = '' }: { readonly note?: string },
  id: string,
): Promise<void> {
  const run = await withHost(config, (host) =>
    host.call(resolveFlowRunRoute, { params: { id }, body: { note } }),
  )
  output.answer(run, `Marked run ${id} as resolved`)
}

export async function reopenRun(
  { config, output }: CommandContext,
  _options: unknown,
  id: string,
): Promise<void> {
  const run = await withHost(config, (host) => host.call(reopenFlowRunRoute, { params: { id } }))
  output.answer(run, `Run ${id} is open again`)
}

async function printEnd({ output }: CommandContext, host: HostClient, id: string): Promise<ExitCode> {
  return printRun(output, await readWholeRun(host, await endOfRun(host, id, output), false))
}

async function newestRuns(
  host: HostClient,
  { flow, status, search, count }: Omit<RunFilters, 'count'> & { readonly count: number },
): Promise<FlowRun[]> {
  if (status !== undefined && !(RUN_STATUSES as readonly string[]).includes(status))
    throw new HostError(EXIT.usage, `--status is "${status}", but must be one of ${RUN_STATUSES.join(', ')}`)
  const filter = [
    ...(flow === undefined ? [] : [`flow_id,eq,${(await findFlow(host, flow)).id}`]),
    ...(status === undefined ? [] : [`status,eq,${status}`]),
  ]
  const query = { filter, per_page: String(count), ...(search === undefined ? {} : { text: search }) }
  return host.call(listFlowRunsRoute, { query })
}

async function flowNames(host: HostClient): Promise<ReadonlyMap<string, string>> {
  return new Map((await listAllFlows(host)).map(({ id, name }) => [id, name]))
}

function describeLine(run: FlowRun, names: ReadonlyMap<string, string>): string {
  const { id, title, error } = run
  const at = run.finished_at ?? run.started_at ?? run.created_at
  const name = names.get(run.flow_id) ?? run.flow_id
  return [at, statusOf(run).padEnd(9), id, name, title === name ? '' : title, error?.message ?? '']
    .filter(Boolean)
    .join('  ')
}
