/**
 * Which planted mistakes the check of flows finds and fixes. The long form (`npm run test:mistakes`) plants 1,000 and
 * prints what it finds by kind; `MILLRACE_MISTAKES_SEED` plants others.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { FlowProblem } from '../../../src/shared/contract/base/flow-problem.ts'
import type { Step } from '../../../src/shared/contract/steps.ts'
import { editSteps } from '../../../src/shared/contract/base/edit-steps.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { aStep } from '../../helpers/flow-run.ts'
import { KINDS, type Mistake, plantMistake } from '../../helpers/mistakes.ts'
import { randomFrom } from '../../helpers/random.ts'

const IS_LONG = process.env['MILLRACE_MISTAKES'] === 'long'
const MISTAKES = IS_LONG ? 1_000 : 75
const SEED = Number(process.env['MILLRACE_MISTAKES_SEED'] ?? 1)

test(`${MISTAKES} planted mistakes are named with their place and a fix, and mended`, async () => {
  const app = await startFlowApp()
  const { flow } = await app.addFlow([])
  const check = async (steps: readonly unknown[]) => {
    const { json } = await app.call('POST', `/v1/flows/${flow.id}/check`, { steps })
    return (json as { problems: FlowProblem[] }).problems
  }
  const flows = await soundFlows(app, check)
  const random = randomFrom(SEED)
  const results: Result[] = []
  for (let at = 0; results.length < MISTAKES; at++) {
    const intended = flows[random(flows.length)] ?? []
    const mistake = plantMistake(KINDS[at % KINDS.length] ?? '', intended, random, () => true)
    if (mistake === null || isDeepStrictEqual(mistake.steps, intended)) continue
    const problems = await check(mistake.steps)
    const safely = await healed(mistake.steps, check, ({ safe }) => safe)
    const placed = problems.filter((problem) => isAt(problem, mistake))
    results.push({
      mistake,
      problems,
      isPlaced: placed.length > 0,
      isFixable: placed.some(({ fix }) => fix !== null),
      isHealed: isDeepStrictEqual(await healed(mistake.steps, check, () => true), intended),
      isHealedSafely: isDeepStrictEqual(safely, intended),
      isMisled: !isDeepStrictEqual(safely, intended) && !isDeepStrictEqual(safely, mistake.steps),
    })
  }
  if (IS_LONG) console.log(tableOf(results, flows.length))
  const share = (of: (result: Result) => boolean) => results.filter(of).length / results.length
  const measured = {
    placed: share(({ isPlaced }) => isPlaced),
    fixable: share(({ isPlaced, isFixable }) => isPlaced && isFixable),
    healed: share(({ isHealed }) => isHealed),
    misled: share(({ isMisled }) => isMisled),
  }
  expect(measured.fixable).toBeGreaterThanOrEqual(0.95)
  expect(measured.healed).toBeGreaterThanOrEqual(0.8)
  expect(measured.misled).toBeLessThanOrEqual(0.02)
})

interface Result {
  readonly mistake: Mistake
  readonly problems: readonly FlowProblem[]
  readonly isPlaced: boolean
  readonly isFixable: boolean
  readonly isHealed: boolean
  readonly isHealedSafely: boolean
  /** Whether a safe fix turned the flow into something else. */
  readonly isMisled: boolean
}

/** Whether the problem is in the same step, and at the field, directly around it or in it. */
function isAt({ ref_id: ref, field }: FlowProblem, mistake: Mistake): boolean {
  if (ref !== mistake.ref) return false
  const isWithin = (inner: string, outer: string) =>
    inner === outer || outer === '' || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  return (
    isWithin(field, mistake.field) || (isWithin(mistake.field, field) && field !== '' && field !== 'config')
  )
}

const MOST_ROUNDS = 6

/** The steps after all fixes of this sort, one at a time. */
async function healed(
  steps: readonly unknown[],
  check: (steps: readonly unknown[]) => Promise<FlowProblem[]>,
  isWanted: (fix: NonNullable<FlowProblem['fix']>) => boolean,
): Promise<readonly unknown[]> {
  let current = steps
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const fix = (await check(current))
      .map((problem) => problem.fix)
      .find((one) => one !== null && isWanted(one))
    if (!fix) return current
    current = editSteps(current, fix.edits)
  }
  return current
}

/** Samples, and calls of the connectors with their pagination and auths, all without problems. */
async function soundFlows(app: FlowApp, check: (steps: readonly unknown[]) => Promise<FlowProblem[]>) {
  const samples = globSync('resources/samples/*.json')
    .toSorted()
    .map((file) => {
      const { setup, steps } = JSON.parse(readFileSync(file, 'utf8')) as Sample
      return { variables: setup?.env_variables ?? [], steps: steps.map((step) => aStep(step)) }
    })
  for (const { name, type, value } of samples.flatMap(({ variables }) => variables))
    await app.call('POST', '/v1/env-variables', { name, type, value })
  const calls = await connectorFlows(app)
  const sound: Step[][] = []
  for (const steps of [...samples.map((sample) => sample.steps), ...calls]) {
    if ((await check(steps)).length === 0) sound.push(steps)
  }
  return sound
}

interface Sample {
  readonly setup?: {
    readonly env_variables?: { readonly name: string; readonly type: string; readonly value: unknown }[]
  }
  readonly steps: Parameters<typeof aStep>[0][]
}

async function connectorFlows(app: FlowApp): Promise<Step[][]> {
  const flows: Step[][] = []
  for (const file of globSync('resources/connectors/*.json').toSorted()) {
    const { connector, actions } = JSON.parse(readFileSync(file, 'utf8')) as ConnectorFile
    const {
      id,
      base_domain,
      pagination_config: pagination,
      auth_config: { auth_types: types = [] },
    } = connector
    const list = actions.find(({ method, supports_automatic_pagination: pages }) => pages && method === 'GET')
    if (!list) continue
    const { json } = await app.call('POST', '/v1/connector-auths', {
      connector_id: id,
      name: `${basename(file, '.json')} of the team`,
      auth_type: 'bearer',
      auth_token: 'planted',
    })
    const auth = (json as { id?: string }).id
    const each = {
      ref_id: 'entries',
      type: 'loop',
      config: { over: '{{ records }}', collect: '{{ entry.label }}' },
      steps: [
        {
          ref_id: 'entry',
          type: 'set',
          config: {
            values: {
              label:
                "{% if item.name %}{{ item.name | upper }}{% else %}{{ item.id | default('none') }}{% endif %}",
            },
          },
        },
      ],
    }
    if (types.includes('bearer') && auth !== undefined)
      flows.push(
        [
          { ref_id: 'start', type: 'webhook' },
          {
            ref_id: 'records',
            type: 'connector_action',
            config: { connector_id: id, action: list.name, auth_id: auth, retrieve_all_data: true },
          },
          each,
        ].map(aStep),
      )
    if (pagination !== null && base_domain.startsWith('https') && !base_domain.includes('{'))
      flows.push(
        [
          { ref_id: 'start', type: 'webhook' },
          {
            ref_id: 'records',
            type: 'rest',
            config: {
              url: `${base_domain}/{{ start.path }}`,
              timeout_seconds: 30,
              fail_on_error: true,
              pagination,
            },
          },
          each,
        ].map(aStep),
      )
  }
  return flows
}

interface ConnectorFile {
  readonly connector: {
    readonly id: string
    readonly base_domain: string
    readonly pagination_config: unknown
    readonly auth_config: { readonly auth_types?: readonly string[] }
  }
  readonly actions: readonly {
    readonly name: string
    readonly method: string
    readonly supports_automatic_pagination?: boolean
  }[]
}

function tableOf(results: readonly Result[], flows: number): string {
  const line = (name: string, of: readonly Result[]) => {
    const share = (is: (result: Result) => boolean) =>
      `${Math.round((100 * of.filter(is).length) / of.length)} %`.padStart(6)
    return [
      name.padEnd(14),
      String(of.length).padStart(5),
      share((one) => one.isPlaced),
      share((one) => one.isPlaced && one.isFixable),
      share((one) => one.isHealed),
      share((one) => one.isHealedSafely),
      share((one) => one.isMisled),
    ].join('  ')
  }
  const missed = results.filter(({ isPlaced, isFixable, isHealed }) => !isPlaced || !isFixable || !isHealed)
  return [
    `${results.length} mistakes in ${flows} flows, seed ${SEED}`,
    `${'kind'.padEnd(14)}  count  place  + fix  healed    safe  misled`,
    ...KINDS.map((kind) =>
      line(
        kind,
        results.filter(({ mistake }) => mistake.kind === kind),
      ),
    ),
    line('all', results),
    ...(process.env['MILLRACE_MISTAKES_SHOW'] === undefined
      ? []
      : missed.map(
          ({ mistake: { kind, ref, field, what }, problems, isPlaced, isFixable, isHealed }) =>
            `${kind} ${ref} ${field}: ${what} [${isPlaced} ${isFixable} ${isHealed}] ${problems.map((one) => `${one.ref_id} ${one.field}: ${one.message.slice(0, 120)} (${one.fix?.title})`).join(' | ')}`,
        )),
  ].join('\n')
}
