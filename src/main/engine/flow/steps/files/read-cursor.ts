import { type Data, dictionaryOf, Float } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import { numberIn } from '../support/compare.ts'
import { RFC_TIME } from '../support/highest.ts'
import { atField } from '../support/read-input.ts'
import { readSinkTarget } from '../support/sink-target.ts'

/** Reads the cursor of the last write of records. */
export const readCursor: StepRunner<'read_cursor'> = {
  outside: false,
  async run({ config }, scope) {
    const target = await readSinkTarget(config, scope)
    const field = 'auth' in target ? 'config.auth_id' : 'config.path'
    const stored = await atField(scope, field, scope.ports.sinks.readCursor(target, scope.signal))
    const cursor =
      stored === null ? scope.evaluate('config.initial', config.initial) : before(stored, config.look_back)
    return dictionaryOf([
      ['cursor', cursor],
      ['stored', stored],
    ])
  },
}

/** A time keeps its format, with or without fractions of a second, in UTC. */
function before(cursor: Data, lookBack: number): Data {
  if (lookBack === 0) return cursor
  const number = numberIn(cursor)
  if (typeof number === 'bigint') return number - BigInt(Math.trunc(lookBack))
  if (number !== null) {
    const less = number - lookBack
    if (typeof cursor === 'string') return String(less)
    return cursor instanceof Float ? new Float(less) : less
  }
  if (typeof cursor !== 'string') return cursor
  if (/^\d{4}-\d\d-\d\d$/.test(cursor))
    return timeBefore(`${cursor}T00:00:00Z`, lookBack)?.slice(0, 10) ?? cursor
  if (RFC_TIME.test(cursor)) {
    const time = timeBefore(cursor, lookBack)
    return time === null ? cursor : new Date(time).toUTCString()
  }
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(cursor)
  const time = timeBefore(hasZone ? cursor : `${cursor}Z`, lookBack)
  if (time === null) return cursor
  const text = cursor.includes('.') ? time : time.replace(/\.\d+Z$/, 'Z')
  return hasZone ? text : text.slice(0, -1)
}

function timeBefore(time: string, seconds: number): string | null {
  const at = Date.parse(/^\d{4}-/.test(time) ? time.replace(' ', 'T') : time)
  return Number.isNaN(at) ? null : new Date(at - seconds * 1000).toISOString()
}
