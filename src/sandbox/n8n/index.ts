/** The names that exist in the sandbox for imported JavaScript: n8n's own, and those that the import writes. */
import { addIntl, define, type Host } from '../intl.ts'
import { copy, fail, jsonOf, names, never, of, paths, returned, same, text, value, wrap } from './base.ts'
import { compare, meets } from './conditions.ts'
import { DateTime, Duration, Interval, now, timezone, today } from './dates.ts'
import { average, extend, ifEmpty } from './extensions.ts'
import { jsonObject, typed } from './fields.ts'
import { byFields, byPosition, gathered, sorted, split, summarize, together } from './lists.ts'

const GLOBALS = {
  DateTime,
  Duration,
  Interval,
  $timezone: timezone,
  $extend: extend,
  $ifEmpty: ifEmpty,
  $min: Math.min,
  $max: Math.max,
  $average: average,
  $not: (one: unknown) => !one,

  $value: value,
  $fail: fail,
  $text: text,
  $copy: copy,
  $same: same,
  $get: paths.get,
  $put: paths.put,
  $remove: paths.drop,
  $at: names.get,
  $set: names.put,
  $drop: names.drop,

  $of: of,
  $wrap: wrap,
  $never: never,
  $json_of: jsonOf,
  $returned: returned,

  $typed: typed,
  $json_object: jsonObject,
  $meets: meets,
  $compare: compare,

  $together: together,
  $by_position: byPosition,
  $by_fields: byFields,
  $summarize: summarize,
  $sorted: sorted,
  $split: split,
  $gathered: gathered,
}

/** @param methods the methods of the host's classes, as JSON */
export function install(ask: Host['ask'], methods: string): void {
  addIntl({ ask, methods: JSON.parse(methods) as Host['methods'] })
  for (const [name, global] of Object.entries(GLOBALS)) define(globalThis, name, global)
  Object.defineProperties(globalThis, { $now: { get: now }, $today: { get: today } })
}
