/**
 * The public compliance suite of RFC 9535. It is stored next to the project, not in it; without it these tests are
 * skipped.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseJson, writeJson } from '../../src/data/json.ts'
import { type Data, getKey, isDictionary, isList } from '../../src/data/value.ts'
import { JsonPathError, selectJsonPathNodes, setPlusEvaluator } from '../../src/jsonpath/index.ts'
import { sharedChecks } from '../../../../test/helpers/shared-checks.ts'

// Millrace sets the evaluator for the whole process.
beforeAll(() => setPlusEvaluator(null))

const IS_TRUE = 'a path alone holds for any value but null and false'
const IS_NULL = 'an absent member equals null'

/** All intended differences, with their reasons and the values selected instead. */
const ON_PURPOSE: Readonly<Record<string, { readonly reason: string; readonly selected: unknown }>> = {
  'basic, name shorthand, number': { reason: 'items.0 is an index', selected: [] },
  'filter, existence, without segments': { reason: IS_TRUE, selected: [1] },
  'filter, existence, present with null': { reason: IS_TRUE, selected: [] },
  'filter, exists and exists, data false': { reason: IS_TRUE, selected: [] },
  'filter, exists or exists, data false': { reason: IS_TRUE, selected: [] },
  'filter, not exists, data null': { reason: IS_TRUE, selected: [{ a: null, d: 'e' }, { d: 'f' }] },
  'filter, equals null, absent from data': { reason: IS_NULL, selected: [{ d: 'e' }] },
  'filter, not-equals null, absent from data': { reason: IS_NULL, selected: [{ a: 'c', d: 'f' }] },
}

const folder = sharedChecks('jsonpath')

describe.skipIf(folder === undefined)(
  'the compliance suite of RFC 9535 (skipped if it is not next to the project)',
  () => {
    const cases = folder === undefined ? [] : casesOf(readFileSync(resolve(folder, 'cts.json'), 'utf8'))
    const failed = cases.filter((testCase) => !passes(testCase))

    it('passes, except for intended differences', () => {
      expect(cases.length).toBeGreaterThan(700)
      expect(failed.map(({ name }) => name).toSorted()).toEqual(Object.keys(ON_PURPOSE).toSorted())
    })

    const differences = Object.entries(ON_PURPOSE).map(([name, how]) => ({ name, ...how }))
    it.each(differences)('differs in "$name": $reason', ({ name, selected }) => {
      const testCase = cases.find((each) => each.name === name)
      expect(testCase && run(testCase)?.values).toEqual(selected)
    })
  },
)

interface Case {
  readonly name: string
  readonly selector: string
  readonly document: Data
  /** All allowed results, as JSON with their paths. Null means that the path must be rejected. */
  readonly expected: readonly string[] | null
}

function casesOf(text: string): Case[] {
  const tests = memberOf(parseJson(text), 'tests')
  return (isList(tests) ? tests : []).map((test) => ({
    name: textOf(test, 'name'),
    selector: textOf(test, 'selector'),
    document: memberOf(test, 'document') ?? null,
    expected: memberOf(test, 'invalid_selector') === true ? null : expectedOf(test),
  }))
}

function expectedOf(test: Data): string[] {
  const values = memberOf(test, 'results') ?? [memberOf(test, 'result') ?? null]
  const paths = memberOf(test, 'results_paths') ?? [memberOf(test, 'result_paths') ?? null]
  if (!isList(values) || !isList(paths)) throw new Error(`Unknown form: ${writeJson(test)}`)
  return values.map((value, index) => writeJson([value, paths[index] ?? null]))
}

function passes(testCase: Case): boolean {
  const found = run(testCase)
  if (found === null || testCase.expected === null) return found === testCase.expected
  return testCase.expected.includes(writeJson([found.values, found.paths]))
}

function run({ selector, document }: Case): { values: Data[]; paths: string[] } | null {
  try {
    const nodes = selectJsonPathNodes(selector, document)
    return { values: nodes.map(({ value }) => value), paths: nodes.map(({ path }) => path) }
  } catch (error) {
    if (error instanceof JsonPathError) return null
    throw error
  }
}

function textOf(test: Data, key: string): string {
  const text = memberOf(test, key)
  return typeof text === 'string' ? text : ''
}

function memberOf(value: Data, key: string): Data | undefined {
  return isDictionary(value) ? getKey(value, key) : undefined
}
