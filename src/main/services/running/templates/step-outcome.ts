/**
 * Computes the outcome of a step that only decides or sorts, from the available values, with the same code as a run.
 */
import { setImmediate } from 'node:timers/promises'
import type { Json } from '../../../../shared/contract/base/common.ts'
import { SAID, type Spoken } from '../../../../shared/contract/base/message.ts'
import { isStepType, STEP_CONFIGS } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { MOST_LOOKED_AT, type TemplatePreview } from '../../../../shared/contract/templates.ts'
import { type Data, dictionaryOf, estimateBytes, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { compileFlow } from '../../../engine/flow/definition/compile-flow.ts'
import type { FlowPorts } from '../../../engine/flow/model/ports.ts'
import type { StepReport } from '../../../engine/flow/model/step-report.ts'
import { runFlow } from '../../../engine/flow/run/run-flow.ts'
import { redactSpoken } from '../../../engine/redaction/redacted-value.ts'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { hasTags, TemplateError } from '@millrace/jinja/environment'
import { PREVIEW, type TemplateScope } from './template-places.ts'

type Outcome = NonNullable<TemplatePreview['outcome']> & Spoken

/** Null for a step of another type, for an incomplete one, and if the step reads a value that isn't known. */
export async function outcomeOf(
  step: Pick<Step, 'ref_id' | 'type' | 'config' | 'cases'>,
  { values }: Pick<TemplateScope, 'values'>,
  redactor: Redactor,
): Promise<Outcome | null> {
  const { type, config } = step
  if (!isStepType(type) || !Object.hasOwn(READERS, type)) return null
  if (!STEP_CONFIGS[type].safeParse(config).success || readsUnknown(config, values)) return null
  const over = listOf(config['over'], values)
  const looked = over?.slice(0, MOST_LOOKED_AT)
  const report = await runPart(step, looked === undefined ? values : { ...values, [SHOWN]: looked }, {
    ...config,
    ...(looked === undefined ? {} : { over: `{{ ${SHOWN} }}` }),
  })
  const count = over?.length ?? null
  const about = { count, looked_at: looked?.length ?? null, error: null }
  if (report.error !== null) {
    const { message, [SAID]: said } = redactSpoken(report.error, redactor)
    return { ...NOTHING, ...about, error: message, [SAID]: said }
  }
  return { ...NOTHING, ...about, ...READERS[type as keyof typeof READERS](report.output, redactor) }
}

const NOTHING = { result_count: null, results: null, branch: null, label: null }

/** A name that can't clash with a step's, which has at most 100 characters. */
const SHOWN = 'entries_'.padEnd(110, '_')
const MOST_RESULTS = 5
const MOST_BYTES = 20_000
const SECONDS = 1

const firstOf = (output: Data, redactor: Redactor): Partial<Outcome> => {
  const list = isList(output) ? output : [output]
  const first = list.slice(0, MOST_RESULTS)
  const isSmall = estimateBytes(first, MOST_BYTES) < MOST_BYTES
  return {
    result_count: list.length,
    results: isSmall ? (redactor.redactData(first) as Json[]) : null,
  }
}

type ReadOutput = (output: Data, redactor: Redactor) => Partial<Outcome>

const READERS: Readonly<
  Record<'filter' | 'sort' | 'aggregate' | 'merge' | 'condition' | 'switch', ReadOutput>
> = {
  filter: firstOf,
  sort: firstOf,
  aggregate: firstOf,
  merge: firstOf,
  condition: (output) => ({ branch: keyIn(output, 'result') === true ? 'then' : 'else' }),
  switch(output) {
    const label = keyIn(output, 'label')
    return typeof label === 'string' ? { branch: 'case', label } : { branch: 'default' }
  },
}

const keyIn = (output: Data, key: string) => (isDictionary(output) ? getKey(output, key) : undefined)

async function runPart(
  { ref_id, type, cases }: Pick<Step, 'ref_id' | 'type' | 'cases'>,
  values: TemplateScope['values'],
  config: Step['config'],
): Promise<StepReport> {
  const reports: StepReport[] = []
  const step: Step = {
    ref_id,
    type,
    config,
    title: '',
    description: '',
    disabled: false,
    on_error: 'stop',
    retry: null,
    cases: (cases ?? []).map(({ label }) => ({ label, steps: [] })),
  }
  await runFlow(
    compileFlow({
      steps: [step],
      settings: { timeout_seconds: SECONDS, automatic_retries: false, dynamic_title: null } as never,
    }),
    {
      id: '',
      input: dictionaryOf([]),
      env: {},
      results: values as Readonly<Record<string, Data>>,
      ports: COMPUTING,
      recorder: {
        record: (event) => void (event.type === 'step_started' && reports.push(event.report)),
        commit: () => Promise.resolve(),
        commitSoon: () => {},
      },
    },
  )
  const [report] = reports
  if (report === undefined) throw new Error(`Step "${ref_id}" was not run`)
  return report
}

/** The steps tried here only compute and need no other ports. */
const COMPUTING = {
  clock: { now: Date.now, monotonic: () => performance.now() },
  yieldToEventLoop: () => setImmediate(),
  recordFiles: undefined,
} as unknown as FlowPorts

/**
 * The list that a template refers to, so that only a part of it can be used; null if the list is in the step itself.
 */
function listOf(over: unknown, values: TemplateScope['values']): readonly Data[] | null {
  if (typeof over !== 'string' || !hasTags(over)) return null
  try {
    const value = PREVIEW.evaluate(over, values)
    return isList(value) ? value : null
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

/** Whether a template reads a name whose value isn't known; template errors are reported by the run. */
function readsUnknown(value: unknown, values: TemplateScope['values'], key = ''): boolean {
  if (typeof value !== 'string')
    return typeof value === 'object' && value !== null
      ? Object.entries(value).some(([name, part]) => readsUnknown(part, values, name))
      : false
  const expression = key === 'when' && !hasTags(value)
  if (!expression && !hasTags(value)) return false
  try {
    return [...PREVIEW.namesRead(value, { expression })].some(
      (name) => name !== 'item' && name !== 'index' && values[name] === undefined,
    )
  } catch (error) {
    if (error instanceof TemplateError) return false
    throw error
  }
}
