import { t } from '../../../lib/i18n.ts'
/** The differences between a request and the one before it. */

export type Difference = 'same' | 'changed' | 'added' | 'removed'

export interface AddressPart {
  readonly text: string
  readonly difference: Difference
}

/** The URL in pieces; removed parameters come last. Without a previous URL, nothing is marked. */
export function diffAddress(before: string | undefined, now: string): readonly AddressPart[] {
  const next = URL.parse(now)
  const old = before === undefined ? null : URL.parse(before)
  if (next === null) return [{ text: now, difference: 'same' }]
  const same = (text: string): AddressPart => ({ text, difference: 'same' })
  if (old === null) return [same(decoded(now))]
  const path = mark(next.pathname, old.pathname === next.pathname ? 'same' : 'changed')
  const parameters = [...next.searchParams].map(([name, value]) => {
    const was = old.searchParams.getAll(name)
    const difference = was.length === 0 ? 'added' : was.includes(value) ? 'same' : 'changed'
    return mark(`${name}=${value}`, difference)
  })
  const removed = [...old.searchParams]
    .filter(([name]) => !next.searchParams.has(name))
    .map(([name, value]) => mark(`${name}=${value}`, 'removed'))
  const pieces = [...parameters, ...removed].flatMap((part, index) => [same(index === 0 ? '?' : '&'), part])
  return [mark(next.origin, old.origin === next.origin ? 'same' : 'changed'), path, ...pieces]
}

export interface HeaderLine {
  readonly name: string
  readonly value: string
  /** The value in the previous request; null if there was none, or the same one. */
  readonly before: string | null
  readonly difference: Difference
}

type Headers = Readonly<Record<string, string>>

export function diffHeaders(before: Headers | undefined, now: Headers): readonly HeaderLine[] {
  const lines = Object.entries(now).map(([name, value]): HeaderLine => {
    const was = before?.[name]
    if (before === undefined || was === value) return { name, value, before: null, difference: 'same' }
    return { name, value, before: was ?? null, difference: was === undefined ? 'added' : 'changed' }
  })
  const removed = Object.entries(before ?? {})
    .filter(([name]) => !Object.hasOwn(now, name))
    .map(([name, value]): HeaderLine => ({ name, value, before: null, difference: 'removed' }))
  return [...lines, ...removed]
}

/** The parameters that differ, in a few words: `page 2 → 3`. */
export function changedParameters(before: string | undefined, now: string): readonly string[] {
  if (before === undefined || !URL.canParse(before) || !URL.canParse(now)) return []
  const [old, next] = [new URL(before), new URL(now)]
  const names = new Set([...old.searchParams.keys(), ...next.searchParams.keys()])
  const changes = [...names].flatMap((name) => {
    const [was, is] = [old.searchParams.getAll(name).join(), next.searchParams.getAll(name).join()]
    if (was === is) return []
    return [`${name} ${next.searchParams.has(name) ? (was === '' ? '' : `${was} → `) + is : t('removed')}`]
  })
  return old.pathname === next.pathname ? changes : [t('path {{path}}', { path: next.pathname }), ...changes]
}

function mark(text: string, difference: Difference): AddressPart {
  return { text, difference }
}

/** `{` is easier to read than `%7B`; text that can't be decoded stays. */
function decoded(address: string): string {
  try {
    return decodeURI(address)
  } catch {
    return address
  }
}
