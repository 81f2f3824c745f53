import {
  exportFlowRoute,
  type FlowImportPlan,
  importFlowRoute,
  planFlowImportRoute,
} from '../../../shared/contract/flow-files.ts'
import type { SentSource } from '../../../shared/contract/import-sources.ts'
import { type Flow, runFlowRoute } from '../../../shared/contract/flows.ts'
import { plantFlowSampleRoute } from '../../../shared/contract/flow-samples.ts'
import { triggersOf } from '../../../shared/contract/step-types/index.ts'
import { type Data, JsonError, parseJson, writeJson } from '@millrace/jinja/data'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import { confirm } from '../support/confirm.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { HostClient } from '../support/host-client.ts'
import { printRun, readWholeRun } from '../support/described-run.ts'
import { findFlow, listAllFlows } from '../support/find-record.ts'
import { formatTable, type Output } from '../support/output.ts'
import { named, withSentSource } from '../support/sent-source.ts'
import { readGiven, readText, writeText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'

/** Shows what a file would create, call and read, asks for confirmation if there is a terminal, and creates drafts. */
export async function importFlow(
  { config, output }: CommandContext,
  { yes = false }: { readonly yes?: boolean },
  path: string,
): Promise<ExitCode> {
  if (path.startsWith(SAMPLE)) return importSample({ config, output }, path.slice(SAMPLE.length))
  const source = readText(path)
  return withHost(config, (host, endsWithWork) =>
    withSentSource(host, source, (sent) => importSource(host, sent, endsWithWork)),
  )

  async function importSource(host: HostClient, sent: SentSource, endsWithWork: boolean): Promise<ExitCode> {
    const plan = await host.call(planFlowImportRoute, { body: sent }).catch((error: unknown) => {
      throw named(error, path)
    })
    if (plan.problems.length > 0) throw new HostError(EXIT.failed, plan.problems.join('\n'))
    const isAsked = !yes && path !== '-' && process.stdin.isTTY && process.stdout.isTTY
    if (isAsked) process.stdout.write(`${describePlan(plan)}\n`)
    if (isAsked && !(await confirm('Import this?'))) {
      process.stdout.write('Nothing was imported.\n')
      return EXIT.failed
    }
    const { other_flows: others, ...flow } = await host.call(importFlowRoute, {
      body: sent.file_id === undefined ? plan.file : { file_id: sent.file_id },
    })
    const made = [flow, ...others].map(({ name, id }) => `Imported "${name}" as a draft: ${id}`)
    const answer = {
      flow: endsWithWork ? withoutUrl(flow) : flow,
      other_flows: others,
      source_format: plan.source_format,
      addresses: addressesOf(plan),
      without_auth: plan.without_auth.map((step) => step.ref_id),
      variables: plan.variables,
      notes: plan.notes,
    }
    output.answer(answer, [...made, ...(isAsked ? [] : [describePlan(plan)])].join('\n'))
    if (endsWithWork) noteStart(output, flow)
    return EXIT.ok
  }
}

/** Hides the webhook's URL, because the host and its port only exist until this command ends. */
const withoutUrl = ({ webhook, ...flow }: Flow) => ({
  ...flow,
  webhook: webhook && { ...webhook, url: null },
})

function noteStart(output: Output, { webhook }: Flow): void {
  if (webhook)
    output.note(`Millrace isn't running, so the webhook has no URL yet: start it with "millrace start"`)
}

const addressesOf = ({ addresses }: FlowImportPlan) => [...new Set(addresses.map(({ address }) => address))]

/** Everything the user should know before the import. */
function describePlan(plan: FlowImportPlan): string {
  const flows = plan.file.flows.map(
    ({ name, steps }) => `"${name}" (${steps.length} ${steps.length === 1 ? 'step' : 'steps'})`,
  )
  const lines = [`${plan.source_format === 'n8n' ? 'From n8n: ' : ''}${flows.join(', ')}`]
  const addresses = addressesOf(plan)
  if (addresses.length > 0) lines.push(`Hosts: ${addresses.join(', ')}`)
  const without = plan.without_auth.map((step) => step.ref_id)
  if (without.length > 0) lines.push(`Needs credentials: ${without.join(', ')}`)
  for (const { name, is_there: isThere, is_made: isMade } of plan.variables)
    lines.push(`Variable: ${name}${isThere ? '' : isMade ? ' (will be created)' : ' (missing)'}`)
  lines.push(
    ...plan.templates
      .slice(0, MOST_TEMPLATES)
      .map((one) => `Template of ${one.ref_id}, ${one.field}: ${oneLine(one.template)}`),
  )
  const more = plan.templates.length - MOST_TEMPLATES
  if (more > 0) lines.push(`… and ${more} more ${more === 1 ? 'template' : 'templates'}; --json shows all`)
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

/** Creates a flow from a sample, with everything it needs. */
function importSample(
  { config, output }: Pick<CommandContext, 'config' | 'output'>,
  id: string,
): Promise<ExitCode> {
  return withHost(config, async (host, endsWithWork) => {
    const flow = await host.call(plantFlowSampleRoute, { params: { id } })
    const answer = { flow: endsWithWork ? withoutUrl(flow) : flow, addresses: [], without_auth: [] }
    output.answer(answer, `Imported "${flow.name}" as a draft: ${flow.id}`)
    if (endsWithWork) noteStart(output, flow)
    return EXIT.ok
  })
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
  // The file was parsed from JSON, so it is data; the compiler can't infer that from an interface.
  const text = `${writeJson(file as unknown as Data, 2)}\n`
  if (out === undefined) {
    process.stdout.write(text)
    return
  }
  writeText(out, text)
  const [flow] = file.flows
  output.answer({ id: flow?.id, file: out }, `Wrote "${flow?.name}" to ${out}`)
}

/** Prints the finished run and its response; with `--steps` also the output of each step. */
export async function runFlowCommand(
  { config, output }: CommandContext,
  options: {
    readonly input?: string
    readonly steps?: boolean
    readonly record?: boolean
    readonly wait: boolean
  },
  wanted: string,
): Promise<ExitCode> {
  const { input, steps: withSteps = false, record = false, wait } = options
  if (withSteps && !wait)
    throw new HostError(EXIT.usage, '--steps waits for the run to finish: remove --no-wait')
  const body = { ...(input !== undefined && { input: readInput(readGiven(input).toString()) }), record }
  return withHost(config, async (host, endsWithWork) => {
    const { id } = await findFlow(host, wanted)
    // If Millrace isn't running, this command's own host would end before the run does.
    const isAwaited = wait || endsWithWork
    const clock = isAwaited ? showSeconds(output, `Running "${wanted}"`) : undefined
    const query = { wait: isAwaited ? ('true' as const) : ('false' as const) }
    const started = await host
      .call(runFlowRoute, { params: { id }, query, body })
      .finally(() => clearInterval(clock))
    if (!('flow_run_id' in started)) return printRun(output, await readWholeRun(host, started, withSteps))
    output.answer(started, `Started run ${started.flow_run_id}`)
    return EXIT.ok
  })
}

/** Returns the timer, which has to be cleared at the end. */
function showSeconds(output: Output, text: string): NodeJS.Timeout {
  let seconds = 0
  const show = () => output.progress({ text: `${text} … ${seconds++} s` })
  show()
  return setInterval(show, 1_000)
}

export async function listFlows({ config, output }: CommandContext): Promise<void> {
  const { flows, hasUrls } = await withHost(config, async (host, endsWithWork) => ({
    flows: await listAllFlows(host),
    hasUrls: !endsWithWork,
  }))
  const short = flows.map(({ id, name, status, steps, updated_at, webhook }) => ({
    id,
    name,
    status,
    starts:
      triggersOf(steps)
        .map(({ type }) => type)
        .join(', ') || 'by hand',
    webhook_url: (hasUrls && webhook?.url) || null,
    updated_at,
  }))
  const table = formatTable(
    ['ID', 'STATUS', 'STARTS', 'NAME'],
    short.map(({ id, name, status, starts }) => [id, status, starts, name]),
  )
  const none = 'There are no flows. "millrace flow import sample:echo" makes one.'
  output.answer(short, short.length === 0 ? none : table)
}

function readInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new HostError(
      EXIT.usage,
      `--input is not JSON: ${error.message} On Windows, quotes get lost: put the JSON into a file and use --input @input.json`,
    )
  }
  throw new HostError(EXIT.usage, '--input must be a JSON object, like {"order_id": 7}')
}
