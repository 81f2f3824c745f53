import { gunzip } from 'node:zlib'
import { promisify } from 'node:util'
import { say } from '../../../../../shared/contract/base/message.ts'
import { DONE, FAILED } from '../../../../../shared/contract/step-types/calls/export-job.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { authContext, credentialsFor } from '../../../connector/credentials.ts'
import type { OpenAuth } from '../../../connector/open-auth.ts'
import { type Data, dictionaryOf, getKey, isDictionary } from '@millrace/jinja/data'
import { addressRules, firstRequest, readAnyBody } from '../../../pagination/index.ts'
import type { OutgoingResponse } from '../../../ports.ts'
import type { ApiRequest } from '../../../request/api-request.ts'
import { writeBody } from '../../../request/body.ts'
import { readRateLimit } from '../../../request/rate-limit.ts'
import { RequestError } from '../../../request/request-error.ts'
import type { CompiledStep, StepRunner, StepScope } from '../../model/compiled-step.ts'
import { RunHalt } from '../../model/run-halt.ts'
import { fetchAll, sendOnce, withIdempotencyKey } from '../support/outgoing-call.ts'
import { shortText } from '../support/read-input.ts'
import { findAuth } from '../support/step-auth.ts'
import { buildRequest, folderOf, outputOf } from './rest.ts'

/**
 * Creates a job at an API, polls its status until it is done, and reads the result. The run is parked in between.
 * The job is stored before the first wait, so that an interrupted run doesn't create a second one.
 */
export const exportJob: StepRunner<'export_job'> = {
  outside: true,
  async run(step, scope) {
    const { config } = step
    const auth = await findAuth(config, null, scope)
    const request = buildRequest({ ...config, ...AS_REST }, auth, scope)
    const own = new URL(request.endpoint).origin
    const authFor = (url: string) => (new URL(url).origin === own ? auth : null)
    const { job, deadline } = await createJob(step, request, auth, scope)
    const poll = await untilDone(config, { job, deadline }, authFor, scope)
    const names = { job, poll }
    if (config.download_url.trim() === '') return bodyOf(poll)
    const url = readUrl('download_url', config.download_url, names, scope)
    return fetchAll(scope, {
      auth: authFor(url),
      request: { ...getRequest(url, authFor(url), scope), baseUrl: folderOf(url) },
      config: (config.pagination ?? wholeFile(config, url)) as Data,
      variables: { ...scope.context, ...names, auth: authContext(authFor(url)) },
      allowedOrigins: [],
      maxPages: undefined,
      decode: unzipped,
    })
  },
}

const AS_REST = { body_type: 'json', fail_on_error: true, pagination: null } as const

type Config = StepConfig<'export_job'>

interface Job {
  /** The response to the request that created it. */
  readonly job: Data
  /** The time by which it has to be done, in milliseconds since the Unix epoch. */
  readonly deadline: number
}

/** The time of the next status request, and the wait before it. */
interface Next {
  readonly at: number
  readonly wait: number
}

/** The job that was stored before, unless it has failed, which means that the step is being retried. */
async function createJob(
  { config, ref }: CompiledStep<'export_job'>,
  request: ApiRequest,
  auth: OpenAuth | null,
  scope: StepScope,
): Promise<Job> {
  const known = savedPart('created', scope) as unknown as Job | undefined
  if (known !== undefined) return known
  const job = await send(withIdempotencyKey(request, scope, ref), auth, scope)
  const deadline = scope.ports.clock.now() + config.timeout_minutes * MINUTE_MS
  const created = { job: outputOf(job, readAnyBody(job)), deadline }
  scope.saveProgress(partOf('created', dictionaryOf(Object.entries(created))))
  await scope.commit()
  return created
}

/** @returns the last response of the status URL */
async function untilDone(
  config: Config,
  { job, deadline }: Job,
  authFor: (url: string) => OpenAuth | null,
  scope: StepScope,
): Promise<Data> {
  const known = savedPart('done', scope)
  if (known !== undefined) return known
  const { clock } = scope.ports
  const url = readUrl('status_url', config.status_url, { job }, scope)
  const longest = Math.max(config.interval_seconds, LONGEST_INTERVAL_SECONDS) * 1_000
  const first = config.interval_seconds * 1_000
  const begun = deadline - config.timeout_minutes * MINUTE_MS
  const next = savedPart('next', scope) as unknown as Next | undefined
  let { at, wait } = next ?? { at: begun + first, wait: first }
  for (;;) {
    await waitUntil(at, scope)
    const response = await send(getRequest(url, authFor(url), scope), authFor(url), scope)
    const poll = outputOf(response, readAnyBody(response))
    const status = scope.withNames({ job, poll }, () => scope.evaluate('config.status', config.status))
    if (isOneOf(status, config.done, DONE)) {
      scope.saveProgress(partOf('done', poll))
      await scope.commit()
      return poll
    }
    if (isOneOf(status, config.failed, FAILED)) {
      scope.saveProgress(OVER)
      throw scope.fail(
        'export_failed',
        say('the job ended with the status {{status}}', { status: shortText(status) }),
        {
          field: 'config.status',
        },
      )
    }
    const { retryAfterMs } = readRateLimit(response.headers, clock.now())
    wait = Math.min(wait * GROWTH, longest)
    at = clock.now() + Math.max(wait, retryAfterMs ?? 0)
    if (at > deadline) {
      scope.saveProgress(OVER)
      if (config.cancel_url.trim() !== '') {
        const cancelUrl = readUrl('cancel_url', config.cancel_url, { job, poll }, scope)
        const cancel = { ...getRequest(cancelUrl, authFor(cancelUrl), scope), method: 'DELETE' }
        await send(cancel, authFor(cancelUrl), scope)
      }
      throw scope.fail(
        'timeout',
        say("the job wasn't done after {{minutes}} minutes; its last status was {{status}}", {
          minutes: config.timeout_minutes,
          status: shortText(status),
        }),
        { field: 'config.timeout_minutes' },
      )
    }
    scope.saveProgress(partOf('next', dictionaryOf(Object.entries({ at, wait }))))
  }
}

/** The wait doesn't count towards the run's time limit, because the job has its own. */
async function waitUntil(at: number, scope: StepScope): Promise<void> {
  const { clock, sleep } = scope.ports
  const remaining = at - clock.now()
  if (remaining <= 0) return
  if (scope.resumable && remaining > PARK_ABOVE_MS)
    throw new RunHalt(
      'parked',
      say('Waits for the export job until {{moment}}', { moment: new Date(at).toISOString() }),
      at,
    )
  await scope.waitUncounted(() => sleep(remaining, scope.signal))
}

async function send(request: ApiRequest, auth: OpenAuth | null, scope: StepScope): Promise<OutgoingResponse> {
  const wire = firstRequest({ action: request, rules: addressRules('', request.endpoint, []) })
  const { response, refusal } = await sendOnce(scope, { ...wire, body: writeBody(wire.body) }, { auth })
  if (refusal) throw refusal
  return response
}

function getRequest(endpoint: string, auth: OpenAuth | null, scope: StepScope): ApiRequest {
  const { query, headers } = credentialsFor(auth, scope.ports)
  return { baseUrl: '', endpoint, method: 'GET', query, headers, body: { kind: 'none' } }
}

function readUrl(
  name: 'status_url' | 'download_url' | 'cancel_url',
  source: string,
  names: Readonly<Record<string, Data>>,
  scope: StepScope,
): string {
  const field = `config.${name}`
  const url = scope.withNames(names, () => scope.renderText(field, source)).trim()
  if (/^https?:\/\/[^/]/i.test(url) && URL.parse(url) !== null) return url
  throw scope.fail(
    'validation',
    say('"{{name}}" must be a URL that begins with http:// or https://, got {{value}}', {
      name,
      value: shortText(url),
    }),
    { field },
  )
}

function isOneOf(status: Data, given: readonly string[], usual: readonly string[]): boolean {
  const text = typeof status === 'object' ? '' : String(status).toLowerCase()
  return (given.length === 0 ? usual : given).some((one) => one.toLowerCase() === text)
}

const bodyOf = (response: Data): Data => (isDictionary(response) ? (getKey(response, 'body') ?? null) : null)

/** Pagination settings that read a single response as the list. */
function wholeFile({ format, records }: Config, url: string): object {
  const [, extension = ''] = /\.(\w+)(?:\.gz)?$/i.exec(new URL(url).pathname) ?? []
  const known = format ?? EXTENSIONS[extension.toLowerCase()]
  return {
    header: {},
    stop_when: 'true',
    ...(known === undefined ? {} : { response_format: known }),
    ...(records === undefined ? {} : { response_jsonpath: records }),
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  json: 'json',
  jsonl: 'ndjson',
  ndjson: 'ndjson',
  csv: 'csv',
  tsv: 'tsv',
  xml: 'xml',
}

/** Decompresses a file that is compressed itself, rather than only for its transfer. */
async function unzipped(response: OutgoingResponse): Promise<OutgoingResponse> {
  const { body, headers } = response
  if (body[0] !== 0x1f || body[1] !== 0x8b) return response
  const other = headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  try {
    return { ...response, headers: other, body: await unzip(body, { maxOutputLength: MOST_BYTES }) }
  } catch (cause) {
    throw new RequestError(
      'response_not_json',
      say("The downloaded file isn't valid gzip, or is too large"),
      { cause },
    )
  }
}

const unzip = promisify(gunzip)

const partOf = (name: string, value: Data): Data => dictionaryOf([[name, value]])

/** The newest saved part with that name that belongs to the job in progress. */
function savedPart(name: string, { savedProgress }: StepScope): Data | undefined {
  const since = savedProgress.slice(savedProgress.lastIndexOf(OVER) + 1)
  const parts = since.flatMap((part) => (isDictionary(part) ? (getKey(part, name) ?? []) : []))
  return parts.at(-1)
}

/** Saved when a job has failed, so that the next attempt creates a new one. */
const OVER = 'over'
const LONGEST_INTERVAL_SECONDS = 60
const GROWTH = 1.5
const MINUTE_MS = 60_000
const PARK_ABOVE_MS = 5_000
const MOST_BYTES = 500_000_000
