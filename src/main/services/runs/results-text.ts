import { setImmediate } from 'node:timers/promises'
import { writeJson } from '../../engine/data/json.ts'
import type { Redactor } from '../../engine/redaction/redactor.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isList,
} from '../../engine/data/value.ts'
import { redactEntries } from '../../engine/redaction/redacted-entries.ts'

/** Records read, redacted and written at a time: takes a few milliseconds. */
const AT_ONCE = 500
/** In a stored response, lists are nested at most this deep: `{ body: { items: […] } }`. */
const DEEPEST = 3

/**
 * Serializes step results as JSON, with secrets redacted. A long list is read from its file and written a few records
 * at a time: other work continues in between, and only its serialized form is ever complete in memory.
 */
export async function writeResults(results: Dictionary, redactor: Redactor): Promise<string> {
  const parts: string[] = []
  await write(results, 0)
  return parts.join('')

  async function write(value: Data, depth: number): Promise<void> {
    if (isList(value) && value.length > AT_ONCE) await writeList(value)
    else if (value instanceof Map && value.size > AT_ONCE) await writeMembers(value)
    else if (isDictionary(value) && depth < DEEPEST && entriesOf(value).length <= AT_ONCE)
      await writeDictionary(value, depth)
    else parts.push(writeJson(redactor.redactData(value)))
  }

  async function writeDictionary(value: Dictionary, depth: number): Promise<void> {
    let before = '{'
    for (const { name, item, hidden } of redactEntries(entriesOf(value), redactor)) {
      parts.push(before, writeJson(name), ':')
      before = ','
      if (hidden === null) await write(item, depth + 1)
      else parts.push(writeJson(hidden))
    }
    parts.push(before === '{' ? '{}' : '}')
  }

  /** For an object with very many keys. */
  async function writeMembers(members: ReadonlyMap<string, Data>): Promise<void> {
    const entries = [...members]
    const taken = new Set<string>()
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const portion = redactor.redactData(dictionaryOf(entries.slice(from, from + AT_ONCE))) as Dictionary
      const named = entriesOf(portion).map(([key, item]): [string, Data] =>
        members.has(key) ? [key, item] : [freeName(key, taken, members), item],
      )
      parts.push(from === 0 ? '{' : ',', writeJson(dictionaryOf(named)).slice(1, -1))
      await setImmediate()
    }
    parts.push('}')
  }

  async function writeList(list: readonly Data[]): Promise<void> {
    for (let from = 0; from < list.length; from += AT_ONCE) {
      const records = Array.from(
        { length: Math.min(AT_ONCE, list.length - from) },
        (_, index) => list[from + index] ?? null,
      )
      const text = writeJson(redactor.redactData(records))
      parts.push(from === 0 ? '[' : ',', text.slice(1, -1))
      await setImmediate()
    }
    parts.push(']')
  }
}

/** Gives redacted keys of different portions distinct names, as within one portion. */
function freeName(hidden: string, taken: Set<string>, members: ReadonlyMap<string, Data>): string {
  const [base = hidden] = hidden.split(/ \(\d+\)$/)
  let name = base
  for (let number = 2; taken.has(name) || members.has(name); number++) name = `${base} (${number})`
  taken.add(name)
  return name
}
