/** Runs the test cases of a plug-in in the sandbox, without a running Millrace and without a network. */
import { z } from 'zod'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { say, englishOf, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { json, jsonObject } from '../../../../shared/contract/base/common.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import type { PluginManifest } from '../../../../shared/contract/plugins/manifest.ts'
import type { PluginCall, ScriptResult } from '../../../engine/flow/model/ports.ts'
import { equalData, parseJson, writeJson } from '@millrace/jinja/data'
import type { Scripts } from '../step-ports/run-scripts.ts'
import type { PluginFiles } from './plugin-files.ts'
import { requirePlugin } from './read-manifest.ts'

const testCase = z
  .strictObject({
    step: z.string().optional(),
    trigger: z.string().optional(),
    filter: z.string().optional(),
    /** The value that a filter is applied to. */
    value: json.default(null),
    arguments: jsonObject.default({}),
    input: jsonObject.default({}),
    cursor: json.default(null),
    /** In the order of the requests. */
    replies: z
      .array(
        z.strictObject({
          method: z.string().default('GET'),
          url: z.string(),
          status: z.int().default(200),
          headers: z.record(z.string(), z.string()).default({}),
          body: json.default(null),
        }),
      )
      .default([]),
    files: z.record(z.string(), z.string()).default({}),
    key_values: jsonObject.default({}),
    expect: json.optional(),
    /** Part of the expected error message. */
    expect_error: z.string().optional(),
  })
  .refine(
    ({ step, trigger, filter }) => [step, trigger, filter].filter((one) => one !== undefined).length === 1,
    'needs either "step", "trigger" or "filter"',
  )
  .refine(
    (one) => (one.expect === undefined) !== (one.expect_error === undefined),
    'needs either "expect" or "expect_error"',
  )
type TestCase = z.output<typeof testCase>

export interface PluginCaseResult {
  readonly file: string
  /** Null if it passed. */
  readonly problem: string | null
}

/** @throws AppError if it isn't a plug-in, or has no cases in `tests` */
export async function testPlugin(
  files: PluginFiles,
  scripts: Pick<Scripts, 'runPlugin'>,
): Promise<readonly PluginCaseResult[]> {
  const { manifest } = requirePlugin(files)
  const cases = [...files.keys()].filter((path) => /^tests\/[^/]+\.json$/.test(path))
  if (cases.length === 0)
    throw new AppError('validation', say('The plug-in has no test cases; add tests/name.json'))
  const results: PluginCaseResult[] = []
  for (const file of cases) {
    const problem = await runCase(readCase(file, files), manifest, files, scripts)
    results.push({ file, problem })
  }
  return results
}

function readCase(file: string, files: PluginFiles): TestCase {
  try {
    return parseInput(testCase, JSON.parse(files.get(file)?.toString() ?? ''), '')
  } catch (error) {
    if (!(error instanceof AppError || error instanceof SyntaxError)) throw error
    throw new AppError(
      'validation',
      say("The case {{file}} can't be read: {{rest}}", { file, rest: sentenceOf(error) }),
      { cause: error },
    )
  }
}

async function runCase(
  one: TestCase,
  manifest: PluginManifest,
  files: PluginFiles,
  scripts: Pick<Scripts, 'runPlugin'>,
): Promise<string | null> {
  const called = calledIn(one, manifest)
  if (typeof called === 'string') return called
  const { outcome } = await scripts.runPlugin(files.get('run.js')?.toString() ?? '', {
    plugin: manifest.name,
    ...called,
    call: createStandIn(one),
    signal: new AbortController().signal,
  })
  return problemOf(one, outcome)
}

/** The function that a case calls, with its argument; an error message if the function isn't in the manifest. */
function calledIn(
  one: TestCase,
  manifest: PluginManifest,
): string | Pick<PluginCall, 'kind' | 'name' | 'argument'> {
  if (one.filter !== undefined) {
    const filter = manifest.filters.find(({ name }) => name === one.filter)
    if (filter === undefined) return `the manifest has no "${one.filter}" in "filters"`
    const values = [one.value, ...filter.arguments.map((name) => one.arguments[name] ?? null)]
    return { kind: 'filters', name: filter.name, argument: JSON.stringify(values) }
  }
  const kind = one.step === undefined ? 'triggers' : 'steps'
  const name = one.step ?? one.trigger ?? ''
  const part = manifest[kind].find((found) => found.name === name)
  if (part === undefined) return `the manifest has no "${name}" in "${kind}"`
  const input = Object.fromEntries(
    part.fields.map((field) => [field.name, one.input[field.name] ?? field.default ?? null]),
  )
  return {
    kind,
    name,
    argument: JSON.stringify(kind === 'steps' ? { input } : { input, cursor: one.cursor }),
  }
}

function problemOf(one: TestCase, outcome: ScriptResult['outcome']): string | null {
  if (outcome.kind === 'returned') {
    if (one.expect_error !== undefined) return `returned ${outcome.value} instead of failing`
    const expected = JSON.stringify(one.expect)
    return equalData(parseJson(outcome.value), parseJson(expected))
      ? null
      : `returned ${outcome.value} instead of ${expected}`
  }
  const said = outcome.kind === 'threw' && outcome.line !== null ? `line ${outcome.line}: ` : ''
  const message = outcome.kind === 'threw' ? outcome.message : englishOf(outcome.said)
  if (one.expect_error !== undefined && message.includes(one.expect_error)) return null
  return `failed: ${said}${message}`
}

/** Replaces the abilities of a plug-in with the case's replies. */
function createStandIn(one: TestCase): (ability: string, argument: string) => Promise<string> {
  const replies = [...one.replies]
  const texts = new Map(Object.entries(one.files))
  const values = new Map(Object.entries(one.key_values))
  const abilities: Readonly<Record<string, (argument: Readonly<Record<string, unknown>>) => unknown>> = {
    request({ url, method = 'GET' }) {
      const at = replies.findIndex((reply) => reply.url === url && reply.method === method)
      const [reply] = at === -1 ? [] : replies.splice(at, 1)
      if (reply === undefined)
        throw new AppError(
          'not_found',
          say('The case has no reply to {{method}} {{url}}', { method: String(method), url: String(url) }),
        )
      return { status: reply.status, url, headers: reply.headers, body: reply.body }
    },
    'files.read'({ path }) {
      const text = texts.get(String(path))
      if (text === undefined)
        throw new AppError('not_found', say('The case has no file "{{path}}"', { path: String(path) }))
      return text
    },
    'files.list': () => [...texts].map(([name, text]) => ({ path: name, name, size: text.length })),
    'files.write'({ path, content }) {
      texts.set(String(path), String(content))
      return { path, size: String(content).length }
    },
    'keyValues.get': ({ key }) => values.get(String(key)) ?? null,
    'keyValues.set': ({ key, value }) => void values.set(String(key), value as never),
    'keyValues.delete': ({ key }) => void values.delete(String(key)),
  }
  return async (ability, argument) => {
    const result = abilities[ability]?.(JSON.parse(argument) as Record<string, unknown>)
    return await Promise.resolve(writeJson(parseJson(JSON.stringify(result ?? null))))
  }
}
