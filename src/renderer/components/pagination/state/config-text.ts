/** The configuration as typed: the text from which everything else is read. */
import type { PaginationConfigEntry } from '../../../../shared/contract/base/pagination-config.ts'
import { formatJson, parseJson } from '../../../lib/json.ts'

type Entry = Partial<PaginationConfigEntry>

/** The parsed text; `value` is null for an empty text, and absent if it isn't JSON. */
export type ReadConfig = { readonly value: unknown } | { readonly problem: string }

export function readConfigText(text: string): ReadConfig {
  if (text.trim() === '') return { value: null }
  try {
    return { value: parseJson(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

export function writeConfig(value: unknown): string {
  return value === null || value === undefined ? '' : formatJson(value)
}

/** The configurations of a text, one or many; none if it can't be parsed or contains something else. */
export function entriesOf(text: string): readonly Entry[] {
  const read = readConfigText(text)
  const value = 'value' in read ? read.value : null
  return (Array.isArray(value) ? value : [value]).filter(isEntry)
}

export function isList(text: string): boolean {
  const read = readConfigText(text)
  return 'value' in read && Array.isArray(read.value)
}

export function moveEntry(text: string, from: number, to: number): string {
  const entries = [...entriesOf(text)]
  const [moved] = entries.splice(from, 1)
  if (moved === undefined) return text
  entries.splice(Math.min(entries.length, Math.max(0, to)), 0, moved)
  return writeConfig(entries)
}

export function removeEntry(text: string, at: number): string {
  return writeConfig(entriesOf(text).filter((_entry, index) => index !== at))
}

/** Adds a configuration before the catch-all one, to be used if its own condition is true. */
export function addEntry(text: string): string {
  const entries = [...entriesOf(text)]
  const catchAll = entries.findIndex((entry) => entry.when === undefined)
  const added = { when: '{{ page == 1 }}', query: '{"page": {{ page + 1 }}}' }
  entries.splice(catchAll === -1 ? entries.length : catchAll, 0, added)
  return writeConfig(entries)
}

/**
 * Inserts a configuration. In a list, it replaces the one that was used, whose condition stays; otherwise it replaces
 * everything.
 */
export function putConfig(text: string, config: object, used: number | null): string {
  const entries = entriesOf(text)
  const before = used === null || !isList(text) ? undefined : entries[used]
  if (before === undefined) return writeConfig(config)
  const when = before.when === undefined ? {} : { when: before.when }
  return writeConfig(entries.map((entry, index) => (index === used ? { ...when, ...config } : entry)))
}

/** One of several configurations, or the whole text if it isn't a list of them. */
export function partAt(text: string, at: number | null): string {
  return at === null ? text : writeConfig(entriesOf(text)[at])
}

/** The text with that part replaced; in a list, its condition stays. */
export function putPart(text: string, at: number | null, part: string): string {
  const read = readConfigText(part)
  if (at === null || !('value' in read)) return part
  const entries = entriesOf(text)
  const when = entries[at]?.when
  const entry = { ...(when !== undefined && { when }), ...(read.value as Entry | null) }
  return writeConfig(entries.map((one, index) => (index === at ? entry : one)))
}

/** A connector's configuration with one for a single action put before all others. */
export function withActionConfig(existing: unknown, endpoint: string, config: unknown): readonly unknown[] {
  const when = `{{ endpoint == '${endpoint.replaceAll(/[\\']/g, '\\$&')}' }}`
  const others = (Array.isArray(existing) ? existing : [existing]).filter(isEntry)
  const own = (Array.isArray(config) ? config : [config]).filter(isEntry)
  const conditioned = own.map(({ when: more, ...entry }) => ({ when: joined(when, more), ...entry }))
  return [...conditioned, ...others.filter((entry) => entry.when !== when)]
}

/** Requires both conditions; a bare expression is one without braces. */
function joined(when: string, more: string | undefined): string {
  if (more === undefined || more === when) return when
  const bare = (text: string) => {
    const inner = text.trim().replace(/^\{\{/, '')
    return (inner.endsWith('}}') ? inner.slice(0, -2) : inner).trim()
  }
  return `{{ (${bare(when)}) and (${bare(more)}) }}`
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
