import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import type { CompiledStep, StepRunner, StepScope } from '../../model/compiled-step.ts'
import { numberIn } from '../support/compare.ts'
import { atField, shortText } from '../support/read-input.ts'

/** Reads and changes values that outlive the run. A change made before a crash isn't repeated. */
export const keyValue: StepRunner<'key_value'> = {
  outside: true,
  async run(step, scope) {
    const { config } = step
    const key = readKey(config, scope)
    const value = config.value === undefined ? undefined : scope.evaluate('config.value', config.value)
    scope.showInput(
      dictionaryOf([
        ['operation', config.operation],
        ['key', key],
        ...(value === undefined ? [] : [['value', value] as const]),
      ]),
    )
    return atField(
      scope,
      'config.key',
      Promise.resolve(OPERATIONS[config.operation]({ step, scope, key, value })),
    )
  },
}

interface Call {
  readonly step: CompiledStep<'key_value'>
  readonly scope: StepScope
  readonly key: string
  readonly value: Data | undefined
}

const OPERATIONS: {
  readonly [O in StepConfig<'key_value'>['operation']]: (call: Call) => Data | Promise<Data>
} = {
  get({ scope, key, value = null }) {
    const found = scope.ports.keyValues.get(key)
    return found === undefined ? value : found
  },
  list: ({ scope, key }) =>
    scope.ports.keyValues.list(key).map(([name, value]) =>
      dictionaryOf([
        ['key', name],
        ['value', value],
      ]),
    ),
  set(call) {
    const { scope, key, value = null } = call
    return scope.ports.keyValues.change({
      kind: 'set',
      key,
      id: changeId(call),
      value,
      expiresAt: expiryOf(call),
    })
  },
  delete: (call) => call.scope.ports.keyValues.change({ kind: 'delete', key: call.key, id: changeId(call) }),
  increment(call) {
    const { scope, key, value = 1 } = call
    const by = numberIn(value)
    if (typeof by !== 'number') {
      throw scope.fail(
        'validation',
        say('"value" is {{value}}; it must be the number to add', { value: shortText(value) }),
        {
          field: 'config.value',
        },
      )
    }
    return scope.ports.keyValues.change({
      kind: 'increment',
      key,
      id: changeId(call),
      by,
      expiresAt: expiryOf(call),
    })
  },
}

/** An ID that stays the same for a step and iteration, even in a resumed run. */
function changeId({ step, scope }: Call): string {
  return [scope.runId, step.ref, ...scope.iteration].join('/')
}

function readKey({ key, operation }: StepConfig<'key_value'>, scope: StepScope): string {
  const field = 'config.key'
  const text = scope.renderText(field, key)
  if (text === '' && operation !== 'list') {
    throw scope.fail('validation', say('"key" is empty; use a name such as last_sync'), { field })
  }
  if (text.length <= LONGEST_KEY) return text
  throw scope.fail(
    'too_large',
    say('"key" has {{length}} characters; the limit is {{limit}}. Use a part of it, or its hash', {
      length: text.length,
      limit: LONGEST_KEY,
    }),
    { field },
  )
}

/** Milliseconds since the Unix epoch. */
function expiryOf({ step, scope }: Call): number | null {
  const { ttl_seconds: source } = step.config
  if (source === undefined || source === null || source === '') return null
  const field = 'config.ttl_seconds'
  const value = scope.evaluate(field, source)
  const seconds = numberIn(value)
  if (typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_SECONDS) {
    return scope.ports.clock.now() + seconds * 1000
  }
  throw scope.fail(
    'validation',
    say('"ttl_seconds" is {{shortText}}; it must be a number above 0 and up to {{limit}}', {
      shortText: shortText(value),
      limit: LONGEST_SECONDS,
    }),
    { field },
  )
}

const LONGEST_KEY = 500
const LONGEST_SECONDS = 3_153_600_000
