/** Resends recorded webhook requests and compares the responses with the recorded ones. */
import { trimBoth } from '../../../shared/trim.ts'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Flow } from '../../../shared/contract/flows.ts'
import {
  listWebhookRequestsRoute,
  readWebhookRequestRoute,
  type WebhookRequestDetail,
} from '../../../shared/contract/webhooks.ts'
import { resentHeaders } from '../../../shared/resent-headers.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { findFlow } from '../support/find-record.ts'
import {
  bodyAsData,
  callOf,
  type Difference,
  differencesOf,
  expectedOf,
  type FlowCase,
  readCase,
  writeCase,
} from '../support/flow-case.ts'
import type { HostClient } from '../support/host-client.ts'
import { readCount } from '../support/read-count.ts'
import { writeText } from '../support/text-file.ts'
import { queryOf, sendToWebhook } from '../support/webhook-call.ts'
import { withHost } from '../support/with-host.ts'

export interface LiveTestOptions {
  readonly record?: string
  readonly flow?: string
  readonly count: string
  readonly update?: boolean
}

const DEFAULT_FOLDER = 'flow-tests'

/** Records cases with `--record`, otherwise runs them. Exits with 1 if a response differs from the expected one. */
export async function testLive(
  context: CommandContext,
  { record, flow, count, update = false }: LiveTestOptions,
  path: string = DEFAULT_FOLDER,
): Promise<ExitCode> {
  const most = readCount(count)
  return withHost(context.config, (host) =>
    record === undefined
      ? runCases(context, host, { files: caseFiles(path), flow, update })
      : recordCases(context, host, { flow: record, folder: path, count: most }),
  )
}

interface CaseResult {
  readonly name: string
  readonly file: string
  readonly flow: string
  readonly passed: boolean
  readonly duration_ms: number
  readonly differences: readonly Difference[]
}

interface CaseRun {
  readonly files: readonly string[]
  /** Replaces the flow named in a case. */
  readonly flow: string | undefined
  readonly update: boolean
}

async function runCases(
  { output }: CommandContext,
  host: HostClient,
  { files, flow: given, update }: CaseRun,
): Promise<ExitCode> {
  const cases = files.map((file) => ({ file, name: basename(file, '.json'), ...readCase(file) }))
  const flows = new Map<string, Flow>()
  for (const { flow } of cases) {
    const wanted = given ?? flow
    if (!flows.has(wanted)) flows.set(wanted, await findFlow(host, wanted))
  }
  const results: CaseResult[] = []
  for (const { file, name, ...one } of cases) {
    output.progress({ text: name, share: { done: results.length, total: cases.length } })
    const flow = flows.get(given ?? one.flow) as Flow
    const startedAt = performance.now()
    const reply = await sendToWebhook(host, flow, callOf(one))
    const duration = Math.round(performance.now() - startedAt)
    const differences = differencesOf(one, reply)
    const isUpdated = update && differences.length > 0
    if (isUpdated) {
      const names = Object.keys(one.response.headers)
      writeText(file, writeCase({ ...one, response: expectedOf(reply, names) }))
    }
    const result = { name, file, flow: flow.name, duration_ms: duration, differences }
    results.push({ ...result, passed: isUpdated || differences.length === 0 })
    if (!output.json) output.text(describeResult(results.at(-1) as CaseResult, isUpdated))
  }
  const failed = results.filter(({ passed }) => !passed).length
  output.answer(
    { passed: results.length - failed, failed, cases: results },
    `${results.length - failed} passed, ${failed} failed`,
  )
  return failed > 0 ? EXIT.failed : EXIT.ok
}

const MOST_SHOWN = 20

function describeResult(
  { name, passed, duration_ms: duration, differences }: CaseResult,
  isUpdated: boolean,
): string {
  if (isUpdated) return `updated  ${name}`
  if (passed) return `ok       ${name} (${duration} ms)`
  const more = differences.length - MOST_SHOWN
  return [
    `FAILED   ${name}`,
    ...differences.slice(0, MOST_SHOWN).flatMap(describeDifference),
    ...(more > 0 ? [`         … and ${more} more`] : []),
  ].join('\n')
}

function describeDifference({ path, expected, got }: Difference): string[] {
  return [
    `         ${path}`,
    `           - ${expected === undefined ? '(nothing expected)' : shortly(expected)}`,
    `           + ${got === undefined ? '(nothing)' : shortly(got)}`,
  ]
}

const LONGEST_VALUE = 200

function shortly(value: Data): string {
  const text = writeJson(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}

/** @throws HostError if there are none */
function caseFiles(path: string): string[] {
  if (existsSync(path) && statSync(path).isFile()) return [path]
  const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.json')) : []
  if (names.length > 0) return names.toSorted().map((name) => join(path, name))
  const message = `There are no test cases in ${path}; "millrace flow test ${path} --live --record FLOW" creates them from received requests`
  throw new HostError(EXIT.failed, message)
}

interface Recording {
  readonly flow: string
  readonly folder: string
  readonly count: number
}

async function recordCases(
  { output }: CommandContext,
  host: HostClient,
  { flow: wanted, folder, count }: Recording,
): Promise<ExitCode> {
  const flow = await findFlow(host, wanted)
  const filter = [`flow_id,eq,${flow.id}`, 'flow_run_id,ne,null']
  const requests = await host.call(listWebhookRequestsRoute, { query: { filter, per_page: String(count) } })
  if (requests.length === 0)
    throw new HostError(
      EXIT.failed,
      `No request to flow "${flow.name}" is in the history; "millrace webhook send" sends one`,
    )
  mkdirSync(folder, { recursive: true })
  const files: string[] = []
  const skipped: { id: string; reason: string }[] = []
  for (const [index, { id }] of requests.entries()) {
    output.progress({ text: id, share: { done: index, total: requests.length } })
    const detail = await host.call(readWebhookRequestRoute, { params: { id } })
    const one = toCase(flow, detail)
    if (typeof one === 'string') {
      skipped.push({ id, reason: one })
      continue
    }
    const file = join(
      folder,
      `${nameOf(flow)}-${detail.request.at.replaceAll(/[-:]|\.\d+|Z/g, '')}-${id.slice(0, 4)}.json`,
    )
    writeText(file, writeCase(one))
    files.push(file)
  }
  const lines = [
    ...files.map((file) => `Recorded ${file}`),
    ...skipped.map(({ id, reason }) => `Skipped request ${id}: ${reason}`),
  ]
  output.answer({ files, left_out: skipped }, lines.join('\n'))
  return files.length > 0 ? EXIT.ok : EXIT.failed
}

/** A case, or the reason why the request can't become one. */
function toCase(flow: Flow, { request, received, answer }: WebhookRequestDetail): FlowCase | string {
  if (received === null || answer === null) return 'its body or response was not kept'
  if (received.truncated || answer.truncated) return 'only the beginning of its body or response was kept'
  if (`${received.body}${answer.body ?? ''}${request.path}`.includes('***'))
    return 'it contains a secret, which is stored as ***'
  const { encoding, body, kind } = received
  const value = kind === 'json' ? bodyAsData(body) : body
  // A string is sent unchanged, so a JSON string has to stay in its serialized form.
  const sent = encoding === 'hex' ? { body_hex: body } : { body: typeof value === 'string' ? body : value }
  return {
    flow: flow.name,
    request: {
      query: queryOf(request.path),
      headers: resentHeaders(request.headers),
      ...sent,
    },
    response: expectedOf(answer, ['content-type']),
    ignore: [],
  }
}

function nameOf({ name }: Flow): string {
  const words = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return trimBoth(words, '-').slice(0, 60) || 'flow'
}
