import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { type Data, OWN_JSON_LIMITS, parseJson, writeJson } from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { numberIn } from '../../../engine/flow/steps/support/compare.ts'
import type { KeyValueChange, KeyValuePort } from '../../../engine/flow/model/ports.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'

export interface KeyValuesOptions {
  readonly store: Pick<Store, 'keyValues' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  /** Redacts every known secret. */
  readonly redactor: () => Pick<Redactor, 'redactText'>
}

/** Values that flows keep between runs, encrypted on the disk. */
export function createKeyValues({ store, clock, redactor }: KeyValuesOptions): KeyValuePort {
  const { keyValues } = store

  function apply(change: KeyValueChange): Data {
    const before = keyValues.get(change.key, clock.now())
    const value = before === null ? null : read(before.text)
    if (before?.changeId === change.id) return value
    if (change.kind === 'delete') {
      keyValues.delete(change.key)
      return value
    }
    if (before === null) makeRoom()
    const after = change.kind === 'set' ? change.value : add(change.key, value, change.by)
    // An increment without an expiry keeps the existing one.
    const expiresAt = change.expiresAt ?? (change.kind === 'increment' ? (before?.expiresAt ?? null) : null)
    const { key } = change
    keyValues.put(
      { key, text: write(key, after), expiresAt, changeId: change.id },
      { hidesKey: redactor().redactText(key) !== key },
    )
    return after
  }

  function makeRoom(): void {
    if (keyValues.count() < MOST_KEYS) return
    keyValues.sweep(clock.now())
    if (keyValues.count() < MOST_KEYS) return
    throw new AppError(
      'conflict',
      say('The limit of {{keys}} keys is reached; delete some, or give them a "ttl_seconds"', {
        keys: MOST_KEYS,
      }),
    )
  }

  return {
    get(key) {
      const found = keyValues.get(key, clock.now())
      return found === null ? undefined : read(found.text)
    },
    list: (prefix) =>
      keyValues.list(prefix, MOST_LISTED, clock.now()).map(({ key, text }) => [key, read(text)]),
    change: (change) => store.write(() => apply(change)),
  }
}

function add(key: string, value: Data, by: number): Data {
  const number = value === null ? 0 : numberIn(value)
  if (number === null) {
    throw new AppError(
      'validation',
      say('"{{key}}" isn\'t a number, so it can\'t be incremented; set or delete it first', { key }),
    )
  }
  if (typeof number === 'bigint') return number + BigInt(Math.trunc(by))
  const sum = number + by
  // A counter beyond the range of exact floats stays exact.
  const isExact = Number.isSafeInteger(sum) || !Number.isSafeInteger(number) || !Number.isSafeInteger(by)
  return isExact ? sum : BigInt(number) + BigInt(by)
}

function write(key: string, value: Data): string {
  const text = writeJson(value)
  if (text.length <= MOST_CHARACTERS) return text
  throw new AppError(
    'too_large',
    say(
      'The value of "{{key}}" is {{length}} characters of JSON; the limit is {{limit}}. Write it to a file instead',
      { key, length: text.length, limit: MOST_CHARACTERS },
    ),
  )
}

const read = (text: string): Data => parseJson(text, OWN_JSON_LIMITS)

const MOST_KEYS = 100_000
const MOST_LISTED = 10_000
const MOST_CHARACTERS = 1_000_000
