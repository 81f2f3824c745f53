/** Flow tests as files for version control. Equal tests become equal files. */
import { hash } from 'node:crypto'
import { type FlowTest, flowTest } from '../../../shared/contract/flow-tests.ts'
import { type Data, writeJson } from '@millrace/jinja/data'

/** The keys of a test in the order of the format, without default values. */
export function normalTest(test: FlowTest): Data {
  const { calls, auths, expect, ...rest } = flowTest.parse(test)
  return {
    ...withoutUsual(rest),
    ...(auths.length > 0 && { auths: auths.map(withoutUsual) }),
    ...(calls.length > 0 && {
      calls: calls.map((call) =>
        call.type === 'step'
          ? call
          : {
              ...call,
              request: withoutUsual(call.request),
              ...(call.response !== undefined && { response: withoutUsual(call.response) }),
            },
      ),
    }),
    expect: { ...withoutUsual(expect), ...(expect.response && { response: withoutUsual(expect.response) }) },
  } as unknown as Data
}

/** A hash that is the same for equal content. */
export function revisionOfTest(test: FlowTest): string {
  return hash('sha256', writeJson(normalTest(test)), 'base64url').slice(0, 22)
}

/** These can hold anything, including values that are defaults elsewhere. */
const GIVEN = ['input', 'webhook', 'body']

function withoutUsual(part: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(part).filter(([key, value]) => {
      if (GIVEN.includes(key) || typeof value !== 'object' || value === null)
        return value !== '' || GIVEN.includes(key)
      return Object.keys(value).length > 0
    }),
  )
}
