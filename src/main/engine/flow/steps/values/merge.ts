import { say } from '../../../../../shared/contract/base/message.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  sameness,
} from '@millrace/jinja/data'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { isEmpty } from '../support/compare.ts'
import { entryReader, forEachEntry, makeList } from '../support/entries.ts'
import { readList, shortText } from '../support/read-input.ts'

type Config = StepConfig<'merge'>
type Join = Exclude<Config['how'], 'append' | 'position'>

/** Combines two lists: one after the other, item by item, or joined on an equal field. */
export const merge: StepRunner<'merge'> = {
  outside: false,
  async run({ config }, scope) {
    const left = readList('over', config.over, scope)
    const right = readList('with', config.with, scope)
    scope.showInput(
      dictionaryOf([
        ['over', left],
        ['with', right],
      ]),
    )
    return makeList(scope, (add, flushed) => {
      const lists: Lists = { left, right, scope, add, flushed }
      if (config.how === 'append') return append(lists)
      return config.how === 'position' ? byPosition(lists) : join(config, config.how, lists)
    })
  },
}

/** The lists to merge, and where the merged items go. */
interface Lists {
  readonly left: readonly Data[]
  readonly right: readonly Data[]
  readonly scope: StepScope
  readonly add: (entry: Data) => void
  readonly flushed: () => Promise<void>
}

async function append({ left, right, scope, add, flushed }: Lists): Promise<void> {
  await forEachEntry(scope, left, add, flushed)
  await forEachEntry(scope, right, add, flushed)
}

async function byPosition({ left, right, scope, add, flushed }: Lists): Promise<void> {
  const [longer, shorter] = left.length >= right.length ? [left, right] : [right, left]
  await forEachEntry(
    scope,
    longer,
    (entry, index) => {
      const other = shorter[index]
      if (other === undefined) return add(entry)
      const [a, b] = longer === left ? [entry, other] : [other, entry]
      add(combine(requireDictionary(a, 'over', scope), requireDictionary(b, 'with', scope)))
    },
    flushed,
  )
}

/** Items of the second list by the value on which they are joined. Items without a value aren't joined. */
async function join(config: Config, how: Join, { left, right, scope, add, flushed }: Lists): Promise<void> {
  const leftKey = entryReader('on', config.on ?? '', scope)
  const rightKey = entryReader('on_with', config.on_with || (config.on ?? ''), scope)
  const matches = new Map<string, number[]>()
  await forEachEntry(scope, right, (entry, index) => {
    const value = rightKey(entry, index)
    if (isEmpty(value)) return
    const key = sameness(value)
    const known = matches.get(key)
    if (known) known.push(index)
    else matches.set(key, [index])
  })
  async function pause(): Promise<void> {
    await scope.yieldIfDue()
    await flushed()
  }
  let count = 0
  const used = new Set<number>()
  for (const [index, entry] of left.entries()) {
    if (index % JOINS_A_LOOK === 0) await pause()
    const value = leftKey(entry, index)
    const found = isEmpty(value) ? [] : (matches.get(sameness(value)) ?? [])
    if (found.length === 0 && how !== 'inner' && how !== 'right') add(entry)
    if (how === 'without') continue
    checkSize(count + found.length, scope)
    for (const at of found) {
      if (++count % JOINS_A_LOOK === 0) await pause()
      used.add(at)
      add(
        combine(requireDictionary(entry, 'over', scope), requireDictionary(right[at] ?? null, 'with', scope)),
      )
    }
  }
  if (how !== 'right' && how !== 'outer') return
  const addUnused = (entry: Data, index: number) => {
    if (!used.has(index)) add(entry)
  }
  await forEachEntry(scope, right, addUnused, flushed)
}

/** If both have a key, the second list's value wins. */
function combine(a: Dictionary, b: Dictionary): Dictionary {
  return dictionaryOf([...entriesOf(a), ...entriesOf(b)])
}

function requireDictionary(entry: Data, name: 'over' | 'with', scope: StepScope): Dictionary {
  if (isDictionary(entry)) return entry
  throw scope.fail(
    'validation',
    say('an item of "{{name}}" is {{value}}; only objects can be joined', { name, value: shortText(entry) }),
    {
      field: `config.${name}`,
    },
  )
}

function checkSize(count: number, scope: StepScope): void {
  if (count <= MOST_ENTRIES) return
  throw scope.fail(
    'too_large',
    say(
      'the joined list has more than {{limit}} items, because the same values of "on" occur often in both lists; join by a field that is unique in one of them',
      { limit: MOST_ENTRIES },
    ),
    { field: 'config.on' },
  )
}

const MOST_ENTRIES = 500_000
const JOINS_A_LOOK = 100
