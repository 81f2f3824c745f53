import { createInterface } from 'node:readline/promises'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { type FlowRun, type FlowRunStep, listRunStepsRoute } from '../../../shared/contract/flow-runs.ts'
import {
  exportFlowRoute,
  type FlowImportPlan,
  importFlowRoute,
  planFlowImportRoute,
} from '../../../shared/contract/flow-files.ts'
import { deleteFileUploadRoute } from '../../../shared/contract/file-uploads.ts'
import type { SentSource } from '../../../shared/contract/import-sources.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { type Flow, listFlowsRoute, readFlowRoute, runFlowRoute } from '../../../shared/contract/flows.ts'
import { plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import { TRIGGER_TYPES } from '../../../shared/contract/steps.ts'
import { JsonError, parseJson, writeJson } from '../../engine/data/json.ts'
import type { Data } from '../../engine/data/value.ts'
import { EXIT, type ExitCode, HostError } from '../../exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { HostClient } from '../support/host-client.ts'
import { formatTable } from '../support/output.ts'
import { readText, writeText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Says what a file would make, call and read, asks where somebody is there to answer, and makes drafts of it. */
export async function importFlow(
  { config, output }: CommandContext,
  { yes = false }: { readonly yes?: boolean },
  path: string,
): Promise<ExitCode> {
  if (path.startsWith(SAMPLE)) return importSample(config, output, path.slice(SAMPLE.length))
  const source = readText(path)
  return withHost(config, async (host) => {
    const upload = source.length > LIMITS.largeBodyBytes / 2 ? await host.upload('import', source) : null
    try {
      return await importSource(host, upload === null ? { source } : { file_id: upload.id })
    } finally {
      if (upload !== null) await host.call(deleteFileUploadRoute, { params: { id: upload.id } })
    }
  })

  async function importSource(host: HostClient, sent: SentSource): Promise<ExitCode> {
    const plan = await host.call(planFlowImportRoute, { body: sent }).catch((error: unknown) => {
      throw named(error, path === '-' ? 'The input' : path)
    })
    if (plan.problems.length > 0) throw new HostError(EXIT.failed, plan.problems.join('\n'))
    const isAsked = !yes && path !== '-' && process.stdin.isTTY && process.stdout.isTTY
    if (isAsked) process.stdout.write(`${describePlan(plan)}\n`)
    if (isAsked && !(await confirm('Make this?'))) {
      process.stdout.write('Nothing was made.\n')
      return EXIT.failed
    }
    const { other_flows: others, ...flow } = await host.call(importFlowRoute, {
      body: sent.file_id === undefined ? plan.file : { file_id: sent.file_id },
    })
    const made = [flow, ...others].map(({ name, id }) => `Imported "${name}" as a draft: ${id}`)
    const answer = {
      flow,
      other_flows: others,
      source_format: plan.source_format,
      addresses: addressesOf(plan),
      without_auth: plan.without_auth.map((step) => step.ref_id),
      variables: plan.variables,
      notes: plan.notes,
    }
    output.answer(answer, [...made, ...(isAsked ? [] : [describePlan(plan)])].join('\n'))
    return EXIT.ok
  }
}

const addressesOf = ({ addresses }: FlowImportPlan) => [...new Set(addresses.map(({ address }) => address))]

/** Everything that whoever imports it should know. */
function describePlan(plan: FlowImportPlan): string {
  const flows = plan.file.flows.map(({ name, steps }) => `"${name}" (${steps.length} steps)`)
  const lines = [`${plan.source_format === 'n8n' ? 'From n8n: ' : ''}${flows.join(', ')}`]
  const addresses = addressesOf(plan)
  if (addresses.length > 0) lines.push(`It calls: ${addresses.join(', ')}`)
  const without = plan.without_auth.map((step) => step.ref_id)
  if (without.length > 0) lines.push(`Choose credentials, where they are needed, for: ${without.join(', ')}`)
  for (const { name, is_there: isThere, is_made: isMade } of plan.variables)
    lines.push(
      `Reads the env variable ${name}${isThere ? '' : isMade ? ', which is made along' : ', which is not there'}`,
    )
  lines.push(
    ...plan.templates
      .slice(0, MOST_TEMPLATES)
      .map((one) => `Template of ${one.ref_id}, ${one.field}: ${oneLine(one.template)}`),
  )
  const more = plan.templates.length - MOST_TEMPLATES
  if (more > 0) lines.push(`… and ${more} more templates; --json shows all`)
  lines.push(
    ...plan.notes.map(
      ({ node, ref_id: ref, field, message }) =>
        `${[node, ref && `(${ref}${field ? `, ${field}` : ''})`].filter(Boolean).join(' ')} ${message}`,
    ),
  )
  return lines.join('\n')
}

const MOST_TEMPLATES = 30
const oneLine = (text: string) => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

async function confirm(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

/** What is wrong with a file names it. */
function named(error: unknown, source: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'validation') return error
  const [reason] = (error.data as Record<string, string[]> | null)?.['source'] ?? []
  return reason === undefined ? error : new HostError(EXIT.failed, `${source} ${reason}`, { cause: error })
}

/** Makes a flow of one that comes with Millrace, with all that it needs. */
async function importSample(
  config: CommandContext['config'],
  output: CommandContext['output'],
  id: string,
): Promise<ExitCode> {
  const flow = await withHost(config, (host) => host.call(plantFlowSampleRoute, { params: { id } }))
  output.answer({ flow, addresses: [], without_auth: [] }, `Imported "${flow.name}" as a draft: ${flow.id}`)
  return EXIT.ok
}

const SAMPLE = 'sample:'

export async function exportFlow(
  { config, output }: CommandContext,
  { out }: { readonly out?: string },
  wanted: string,
): Promise<void> {
  const file = await withHost(config, async (host) => {
    const { id } = await findFlow(host, wanted)
    return host.call(exportFlowRoute, { params: { id } })
  })
  // It was read from JSON, so it is data; the compiler does not see that of an interface.
  const text = `${writeJson(file as unknown as Data, 2)}\n`
  if (out === undefined) {
    process.stdout.write(text)
    return
  }
  writeText(out, text)
  const [flow] = file.flows
  output.answer({ id: flow?.id, file: out }, `Wrote "${flow?.name}" to ${out}`)
}

/**
 * Prints the ended run, with `--steps` what each of its steps gave as well. Ends with 1 where the run ended in an error or
 * was cancelled.
 */
export async function runFlowCommand(
  { config, output }: CommandContext,
  options: { readonly input?: string; readonly steps?: boolean; readonly wait: boolean },
  wanted: string,
): Promise<ExitCode> {
  const { input, steps: withSteps = false, wait } = options
  if (withSteps && !wait) throw new HostError(EXIT.usage, '--steps needs the ended run: leave out --no-wait')
  const body = input === undefined ? {} : { input: readInput(input === '-' ? readText('-') : input) }
  const { started, steps } = await withHost(config, async (host, endsWithWork) => {
    const { id } = await findFlow(host, wanted)
    // A host of our own would end before the run does.
    const query = { wait: wait || endsWithWork ? ('true' as const) : ('false' as const) }
    const run = await host.call(runFlowRoute, { params: { id }, query, body })
    return { started: run, steps: withSteps && !('flow_run_id' in run) ? await stepsOf(host, run.id) : null }
  })
  if ('flow_run_id' in started) {
    output.answer(started, `Started run ${started.flow_run_id}`)
    return EXIT.ok
  }
  const lines = [describeRun(started), ...(steps ?? []).map(describeStep)]
  output.answer(steps === null ? started : { ...started, steps }, lines.join('\n'))
  return started.status === 'success' ? EXIT.ok : EXIT.failed
}

const MOST_A_PAGE = 200

async function stepsOf(host: HostClient, id: string): Promise<FlowRunStep[]> {
  const steps: FlowRunStep[] = []
  for (;;) {
    const after = steps.at(-1)?.id
    const query = { per_page: String(MOST_A_PAGE), ...(after === undefined ? {} : { after }) }
    const page = await host.call(listRunStepsRoute, { params: { id }, query })
    steps.push(...page)
    if (page.length < MOST_A_PAGE) return steps
  }
}

function describeStep({ ref_id: ref, iteration, status, output, error }: FlowRunStep): string {
  const turn = iteration.length === 0 ? '' : `[${iteration.join(', ')}]`
  return `${ref}${turn}: ${status} ${error?.message ?? writeJson(output)}`
}

export async function listFlows({ config, output }: CommandContext): Promise<void> {
  const flows = await withHost(config, async (host) => {
    const all: Flow[] = []
    for (let page = 1; ; page++) {
      const query = { page: String(page), per_page: String(MOST_A_PAGE) }
      const some = await host.call(listFlowsRoute, { query })
      all.push(...some)
      if (some.length < MOST_A_PAGE) return all
    }
  })
  const short = flows.map(({ id, name, status, steps, updated_at, webhook }) => ({
    id,
    name,
    status,
    starts: steps[0] && TRIGGER_TYPES.includes(steps[0].type) ? steps[0].type : 'by hand',
    webhook_url: webhook?.url ?? null,
    updated_at,
  }))
  const table = formatTable(
    ['ID', 'STATUS', 'STARTS', 'NAME'],
    short.map(({ id, name, status, starts }) => [id, status, starts, name]),
  )
  const none = 'There are no flows. "millrace flow import sample:echo" makes one.'
  output.answer(short, short.length === 0 ? none : table)
}

async function findFlow(host: HostClient, wanted: string): Promise<Flow> {
  if (UUID.test(wanted)) return host.call(readFlowRoute, { params: { id: wanted } })
  const filter = [`name,eq,${JSON.stringify(wanted)}`]
  const found = await host.call(listFlowsRoute, { query: { filter, per_page: '10' } })
  if (found.length === 1 && found[0]) return found[0]
  throw new HostError(
    EXIT.failed,
    found.length === 0
      ? `No flow has the name "${wanted}"; "millrace flow list" shows names and ids`
      : `Several flows have the name "${wanted}"; give the id of one: ${found.map(({ id, status }) => `${id} (${status})`).join(', ')}`,
  )
}

function describeRun({ id, status, duration_ms: durationMs, error }: FlowRun): string {
  const took = durationMs === null ? '' : ` in ${Math.round(durationMs)} ms`
  return [`Run ${id}: ${status}${took}`, ...(error ? [error.message] : [])].join('\n')
}

function readInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new HostError(EXIT.usage, `--input is not JSON: ${error.message}`)
  }
  throw new HostError(EXIT.usage, '--input must be a JSON object, like {"order_id": 7}')
}
