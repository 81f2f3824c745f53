/** Compares the end of a run with the expectations of a test. */
import { z } from 'zod'
import { say, type Said, sentenceOf, spoken } from '../../../../shared/contract/base/message.ts'
import type {
  Expectation,
  FlowTestExpect,
  TestDifference,
  TestFailure,
} from '../../../../shared/contract/flow-tests.ts'
import { type Data, dictionaryOf, entriesOf, isDictionary, isList } from '@millrace/jinja/data'
import { evaluateCondition, TemplateError } from '@millrace/jinja'
import type { WebhookResponse } from '../../webhook/build-response.ts'
import type { RunEnd } from '../model/run-events.ts'
import { dataOf, differencesBetween } from './match-call.ts'

export interface PlayedEnd extends Pick<RunEnd, 'error' | 'results'> {
  readonly status: FlowTestExpect['status']
  readonly answer: WebhookResponse | null
}

export function compareEnd(expect: FlowTestExpect, end: PlayedEnd): TestFailure[] {
  const wanted = { status: expect.status, ...(expect.error && { error: expect.error }) }
  const got = { status: end.status, ...errorOf(end) }
  const status = differencesBetween(wanted, got as unknown as Data)
  return [
    ...(status.length === 0 ? [] : [failure('status', end.error?.ref_id ?? null, endSentence(end), status)]),
    ...compareResponse(expect.response, end),
    ...Object.entries(expect.results).flatMap(([ref, expected]) => {
      const found = compareValue(expected, end.results[ref], end.results)
      return found === null
        ? []
        : [
            failure(
              'result',
              ref,
              found.said(say('The result of step "{{ref}}"', { ref })),
              found.differences,
            ),
          ]
    }),
  ]
}

/**
 * The expectations that this end would meet. They cover the same results as before, and require the exact value of
 * each one that differs now.
 */
export function expectationsOf(
  end: PlayedEnd,
  before: Pick<FlowTestExpect, 'results'> & Partial<FlowTestExpect>,
): FlowTestExpect {
  const { answer } = end
  const names = Object.keys(before.response?.headers ?? {})
  const results = Object.entries(before.results).flatMap(([ref, expected]): [string, Expectation][] => {
    const value = end.results[ref]
    if (value === undefined) return []
    return [[ref, compareValue(expected, value, end.results) === null ? expected : exactly(value)]]
  })
  const text = answer?.body ?? null
  const body = text === null ? undefined : dataOf(text)
  const known = before.response?.body
  const isMet = known !== undefined && body !== undefined && compareValue(known, body, end.results) === null
  return {
    status: end.status,
    ...errorOf(end),
    ...(before.response !== undefined && {
      response: answer && {
        status: answer.status,
        headers: headersOf(answer, names),
        ...(body !== undefined && { body: isMet ? known : exactly(body) }),
      },
    }),
    results: Object.fromEntries(results),
  }
}

const exactly = (value: Data): Expectation => ({
  exact: value as Extract<Expectation, { exact: unknown }>['exact'],
})

function errorOf({ error }: PlayedEnd): Pick<FlowTestExpect, 'error'> {
  return error === null ? {} : { error: { code: error.code, step: error.ref_id } }
}

function endSentence({ status, error }: PlayedEnd): Said {
  if (error === null) return say('The run ended with "{{status}}"', { status })
  return say('The run failed: {{why}}', { why: sentenceOf(error) })
}

function compareResponse(
  expected: FlowTestExpect['response'],
  { answer, results }: PlayedEnd,
): TestFailure[] {
  if (expected === undefined) return []
  if (expected === null || answer === null) {
    if (expected === answer) return []
    const said = answer === null ? say('The flow returned no response') : say('The flow returned a response')
    return [failure('response', null, said, [])]
  }
  const names = Object.keys(expected.headers)
  const lower = Object.fromEntries(
    Object.entries(expected.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const part = (status: number, headers: Record<string, string>) => ({
    status,
    headers: dictionaryOf(Object.entries(headers)),
  })
  const outer = differencesBetween(
    part(expected.status, lower),
    part(answer.status, headersOf(answer, names)),
  )
  const body = answer.body === null ? undefined : dataOf(answer.body)
  const inner =
    expected.body === undefined
      ? body === undefined
        ? null
        : {
            differences: differencesBetween(dictionaryOf([]), dictionaryOf([['body', body]])),
            said: (name: Said) => name,
          }
      : compareValue(expected.body, body, results)
  if (outer.length === 0 && inner === null) return []
  const said =
    inner === null || outer.length > 0
      ? say('The response differs')
      : inner.said(say('The body of the response'))
  return [failure('response', null, said, [...outer, ...(inner?.differences ?? [])])]
}

function headersOf({ headers }: WebhookResponse, names: readonly string[]): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(given.filter(([name]) => names.some((wanted) => wanted.toLowerCase() === name)))
}

interface Mismatch {
  readonly differences: TestDifference[]
  readonly said: (name: Said) => Said
}

/** Null if the value is as expected. */
function compareValue(
  expected: Expectation,
  value: Data | undefined,
  results: RunEnd['results'],
): Mismatch | null {
  if (value === undefined) return { differences: [], said: (name) => say('{{name}} is missing', { name }) }
  const differs = (name: Said) => say('{{name}} differs', { name })
  if ('exact' in expected) return mismatch(differencesBetween(expected.exact, value), differs)
  if ('subset' in expected)
    return mismatch(differencesBetween(expected.subset, partOf(value, expected.subset)), differs)
  if ('schema' in expected) return schemaMismatch(expected.schema, value)
  const { template } = expected
  try {
    if (
      evaluateCondition(template, Object.setPrototypeOf({ ...results, value }, null) as Record<string, Data>)
    )
      return null
    return {
      differences: [],
      said: (name) => say('{{name}} does not meet "{{template}}"', { name, template }),
    }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { differences: [], said: (name) => say('{{name}}: {{why}}', { name, why: sentenceOf(error) }) }
  }
}

const mismatch = (differences: TestDifference[], said: Mismatch['said']): Mismatch | null =>
  differences.length === 0 ? null : { differences, said }

/** The value without the properties that the expectation doesn't mention. */
function partOf(value: Data, wanted: Data): Data {
  if (isList(value) && isList(wanted))
    return value.map((item, at) => (wanted[at] === undefined ? item : partOf(item, wanted[at])))
  if (!isDictionary(value) || !isDictionary(wanted)) return value
  const asked = new Map(entriesOf(wanted))
  return dictionaryOf(
    entriesOf(value).flatMap(([key, item]) => {
      const part = asked.get(key)
      return part === undefined ? [] : [[key, partOf(item, part)] as const]
    }),
  )
}

function schemaMismatch(schema: Readonly<Record<string, unknown>>, value: Data): Mismatch | null {
  try {
    const parsed = z.fromJSONSchema(schema).safeParse(plain(value))
    const [issue] = parsed.error?.issues ?? []
    if (issue === undefined) return null
    return {
      differences: [],
      said: (name) =>
        say('{{name}} does not match the schema: {{path}} {{why}}', {
          name,
          path: issue.path.join('.'),
          why: issue.message,
        }),
    }
  } catch (error) {
    return {
      differences: [],
      said: (name) =>
        say('{{name}}: the schema cannot be used ({{why}})', { name, why: (error as Error).message }),
    }
  }
}

/** The value as a JSON parser would return it. */
function plain(value: Data): unknown {
  if (isList(value)) return value.map(plain)
  if (isDictionary(value))
    return Object.fromEntries(entriesOf(value).map(([key, item]) => [key, plain(item)]))
  return typeof value === 'object' && value !== null ? Number(value) : value
}

const failure = (
  kind: TestFailure['kind'],
  step: string | null,
  said: Said,
  differences: TestDifference[],
): TestFailure => ({ kind, step, ...spoken(said), differences })
