import { setImmediate } from 'node:timers/promises'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  isList,
  writeJson,
} from '@millrace/jinja/data'
import type { Redactor } from '../../../engine/redaction/redactor.ts'
import { redactEntries } from '../../../engine/redaction/redacted-entries.ts'

/** Number of records read, redacted and written at a time, which takes a few milliseconds. */
const AT_ONCE = 500
/** In a stored response, lists are nested at most this deep: `{ body: { items: […] } }`. */
const DEEPEST = 3

/**
 * Serializes step results as JSON, with secrets redacted, piece by piece. A long list is read from its file and written
 * a few records at a time, so that other work continues in between, and neither the list nor its serialized form is
 * ever complete in memory.
 */
export async function* writeResults(results: Dictionary, redactor: Redactor): AsyncGenerator<string> {
  yield* write(results, 0)

  async function* write(value: Data, depth: number): AsyncGenerator<string> {
    if (isList(value) && value.length > AT_ONCE) yield* writeList(value)
    else if (value instanceof Map && value.size > AT_ONCE) yield* writeMembers(value)
    else if (isDictionary(value) && depth < DEEPEST && entriesOf(value).length <= AT_ONCE)
      yield* writeDictionary(value, depth)
    else yield writeJson(redactor.redactData(value))
  }

  async function* writeDictionary(value: Dictionary, depth: number): AsyncGenerator<string> {
    let before = '{'
    for (const { name, item, hidden } of redactEntries(entriesOf(value), redactor)) {
      yield `${before}${writeJson(name)}:`
      before = ','
      if (hidden === null) yield* write(item, depth + 1)
      else yield writeJson(hidden)
    }
    yield before === '{' ? '{}' : '}'
  }

  /** Writes an object with very many keys. */
  async function* writeMembers(members: ReadonlyMap<string, Data>): AsyncGenerator<string> {
    const entries = [...members]
    const taken = new Set<string>()
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const portion = redactor.redactData(dictionaryOf(entries.slice(from, from + AT_ONCE))) as Dictionary
      const named = entriesOf(portion).map(([key, item]): [string, Data] =>
        members.has(key) ? [key, item] : [freeName(key, taken, members), item],
      )
      yield (from === 0 ? '{' : ',') + writeJson(dictionaryOf(named)).slice(1, -1)
      await setImmediate()
    }
    yield '}'
  }

  async function* writeList(list: readonly Data[]): AsyncGenerator<string> {
    for (let from = 0; from < list.length; from += AT_ONCE) {
      const records = Array.from(
        { length: Math.min(AT_ONCE, list.length - from) },
        (_, index) => list[from + index] ?? null,
      )
      yield (from === 0 ? '[' : ',') + writeJson(redactor.redactData(records)).slice(1, -1)
      await setImmediate()
    }
    yield ']'
  }
}

/** Gives redacted keys distinct names across portions, as they have within one portion. */
function freeName(hidden: string, taken: Set<string>, members: ReadonlyMap<string, Data>): string {
  const [base = hidden] = hidden.split(/ \(\d+\)$/)
  let name = base
  for (let number = 2; taken.has(name) || members.has(name); number++) name = `${base} (${number})`
  taken.add(name)
  return name
}
