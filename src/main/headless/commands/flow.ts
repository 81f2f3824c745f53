import type { FlowRun } from '../../../shared/contract/flow-runs.ts'
import {
  createFlowRoute,
  listFlowsRoute,
  readFlowRoute,
  runFlowRoute,
  type Flow,
} from '../../../shared/contract/flows.ts'
import { plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import { JsonError, parseJson } from '../../engine/data/json.ts'
import { EXIT, HostError, type ExitCode } from '../../exit-codes.ts'
import type { CommandContext } from '../command-line.ts'
import { readFlowFile, writeFlowFile } from '../flow-file.ts'
import type { HostClient } from '../host-client.ts'
import { readText, writeText } from '../text-file.ts'
import { withHost } from '../with-host.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Creates a draft and says what it will reach and what it still needs. */
export async function importFlow(
  { config, output }: CommandContext,
  _options: unknown,
  path: string,
): Promise<void> {
  if (path.startsWith(SAMPLE)) return importSample(config, output, path.slice(SAMPLE.length))
  const { body, withoutAuth, addresses } = readFlowFile(readText(path), path === '-' ? 'The input' : path)
  const flow = await withHost(config, (host) =>
    host.call(createFlowRoute, { query: { import: 'true' }, body }),
  )
  const lines = [`Imported "${flow.name}" as a draft: ${flow.id}`]
  if (addresses.length > 0) lines.push(`It calls: ${addresses.join(', ')}`)
  if (withoutAuth.length > 0) lines.push(`Choose credentials again for: ${withoutAuth.join(', ')}`)
  output.answer({ flow, addresses, without_auth: withoutAuth }, lines.join('\n'))
}

/** Makes a flow of one that comes with Millrace, with all that it needs. */
async function importSample(
  config: CommandContext['config'],
  output: CommandContext['output'],
  id: string,
): Promise<void> {
  const flow = await withHost(config, (host) => host.call(plantFlowSampleRoute, { params: { id } }))
  output.answer({ flow, addresses: [], without_auth: [] }, `Imported "${flow.name}" as a draft: ${flow.id}`)
}

const SAMPLE = 'sample:'

export async function exportFlow(
  { config, output }: CommandContext,
  { out }: { readonly out?: string },
  wanted: string,
): Promise<void> {
  const flow = await withHost(config, (host) => findFlow(host, wanted))
  if (out === undefined) {
    process.stdout.write(writeFlowFile(flow))
    return
  }
  writeText(out, writeFlowFile(flow))
  output.answer({ id: flow.id, file: out }, `Wrote "${flow.name}" to ${out}`)
}

/** Ends with 1 where the run ended in an error or was cancelled. */
export async function runFlow(
  { config, output }: CommandContext,
  { input, wait }: { readonly input?: string; readonly wait: boolean },
  wanted: string,
): Promise<ExitCode> {
  const body = input === undefined ? {} : { input: readInput(input === '-' ? readText('-') : input) }
  const started = await withHost(config, async (host, endsWithWork) => {
    const { id } = await findFlow(host, wanted)
    // A host of our own would end before the run does.
    const query = { wait: wait || endsWithWork ? ('true' as const) : ('false' as const) }
    return host.call(runFlowRoute, { params: { id }, query, body })
  })
  if ('flow_run_id' in started) {
    output.answer(started, `Started run ${started.flow_run_id}`)
    return EXIT.ok
  }
  output.answer(started, describeRun(started))
  return started.status === 'success' ? EXIT.ok : EXIT.failed
}

async function findFlow(host: HostClient, wanted: string): Promise<Flow> {
  if (UUID.test(wanted)) return host.call(readFlowRoute, { params: { id: wanted } })
  const filter = [`name,eq,${JSON.stringify(wanted)}`]
  const found = await host.call(listFlowsRoute, { query: { filter, per_page: '2' } })
  if (found.length === 1 && found[0]) return found[0]
  const why = found.length === 0 ? 'No flow has' : 'Several flows have'
  throw new HostError(
    EXIT.failed,
    `${why} the name "${wanted}"; give the id that the page shows in its address`,
  )
}

function describeRun({ id, status, duration_ms: durationMs, error }: FlowRun): string {
  const took = durationMs === null ? '' : ` in ${Math.round(durationMs)} ms`
  return [`Run ${id}: ${status}${took}`, ...(error ? [error.message] : [])].join('\n')
}

function readInput(text: string): Record<string, never> {
  try {
    const value: unknown = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as never
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new HostError(EXIT.usage, `--input is not JSON: ${error.message}`)
  }
  throw new HostError(EXIT.usage, '--input must be a JSON object, like {"order_id": 7}')
}
