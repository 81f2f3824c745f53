import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, dictionaryOf, Float, sameness } from '@millrace/jinja/data'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { valueText } from '../../../request/query-string.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { isEmpty, numberIn, orderOf } from '../support/compare.ts'
import { entryReader, forEachEntry } from '../support/entries.ts'
import { readList, shortText } from '../support/read-input.ts'

/** Computes counts, sums and the like over a list: one object, or one for each value of `by`. */
export const aggregate: StepRunner<'aggregate'> = {
  outside: false,
  async run({ config }, scope) {
    const entries = readList('over', config.over, scope)
    scope.showInput(entries)
    const readers = config.operations.map(({ of }, index) =>
      entryReader(`operations[${index}].of`, of, scope),
    )
    const groupOf = config.by ? entryReader('by', config.by, scope) : () => null
    const groups = new Map<string, { readonly value: Data; readonly columns: readonly Accumulator[] }>()
    const newColumns = () =>
      config.operations.map((operation) => ACCUMULATORS[operation.operation](operation))
    await forEachEntry(scope, entries, (entry, index) => {
      const value = groupOf(entry, index)
      const key = sameness(value)
      const group = groups.get(key) ?? { value, columns: newColumns() }
      groups.set(key, group)
      for (const [at, read] of readers.entries()) group.columns[at]?.add(read(entry, index))
    })
    if (!config.by) return resultOf(config, [...groups.values()][0]?.columns ?? newColumns(), scope)
    const name = groupName(config.by)
    return [...groups.values()].map(({ value, columns }) => resultOf(config, columns, scope, [[name, value]]))
  },
}

function resultOf(
  { operations }: StepConfig<'aggregate'>,
  columns: readonly Accumulator[],
  scope: StepScope,
  before: readonly [string, Data][] = [],
): Data {
  return dictionaryOf([
    ...before,
    ...operations.map((operation, at): [string, Data] => {
      try {
        return [operation.name, columns[at]?.result() ?? null]
      } catch (error) {
        if (!(error instanceof NoNumberError)) throw error
        const field = `config.operations[${at}].of`
        throw scope.fail(
          'validation',
          say('"{{name}}" needs numbers, and {{value}} isn\'t one; filter such items out first', {
            name: operation.name,
            value: shortText(error.value),
          }),
          { field },
        )
      }
    }),
  ])
}

/** A group is named after the last part of its path. A template has no name. */
function groupName(by: string): string {
  return by.includes('{') ? 'group' : (by.trim().split('.').at(-1) ?? 'group')
}

type AggregateOperation = StepConfig<'aggregate'>['operations'][number]

/** Thrown if an operation needs a number, but the value isn't one. */
class NoNumberError extends Error {
  override readonly name = 'NoNumberError'
  readonly value: Data

  constructor(value: Data) {
    super('No number')
    this.value = value
  }
}

/**
 * The state of an operation over the values so far. It is as small as the result allows, because a list can be very
 * long.
 */
interface Accumulator {
  add(value: Data): void
  /** @throws NoNumberError */
  result(): Data
}

const ACCUMULATORS: {
  readonly [A in AggregateOperation['operation']]: (operation: AggregateOperation) => Accumulator
} = {
  count: ({ of }) => (of === '' ? countOf() : saidOnly(countOf())),
  sum: () => saidOnly(new Sum()),
  average: () => saidOnly(new Average()),
  minimum: () => saidOnly(extreme(-1)),
  maximum: () => saidOnly(extreme(1)),
  first() {
    const held: Data[] = []
    return { add: (value) => void (held.length === 0 && held.push(value)), result: () => held[0] ?? null }
  },
  last() {
    let last: Data = null
    return { add: (value) => void (last = value), result: () => last }
  },
  list() {
    const list: Data[] = []
    return { add: (value) => void list.push(value), result: () => list }
  },
  unique: () => saidOnly(unique((values) => [...values.values()])),
  count_unique: () => saidOnly(unique((values) => values.size)),
  join({ separator = ', ' }) {
    const texts: string[] = []
    return saidOnly({
      add: (value) => void texts.push(valueText(value)),
      result: () => texts.join(separator),
    })
  },
}

/** Skips null and the empty string, as all operations do except `list`, `first`, `last` and a `count` of items. */
function saidOnly(accumulator: Accumulator): Accumulator {
  return {
    add(value) {
      if (!isEmpty(value)) accumulator.add(value)
    },
    result: () => accumulator.result(),
  }
}

function countOf(): Accumulator {
  let count = 0
  return { add: () => void count++, result: () => count }
}

/** Integers are added exactly, whatever their size; a float makes the sum a float. */
class Sum implements Accumulator {
  #whole = 0n
  #rest = 0
  #isFloat = false
  /** The first value that isn't a number; undefined if all are. */
  #other: Data | undefined

  add(value: Data): void {
    const number = numberIn(value)
    if (number === null) this.#other ??= value
    else if (typeof number === 'bigint' || (Number.isSafeInteger(number) && !(value instanceof Float))) {
      this.#whole += BigInt(number)
    } else {
      this.#rest += number
      this.#isFloat = true
    }
  }

  result(): Data {
    if (this.#other !== undefined) throw new NoNumberError(this.#other)
    const whole = Number(this.#whole)
    if (this.#isFloat) return toData(whole + this.#rest, true)
    return Number.isSafeInteger(whole) ? whole : this.#whole
  }
}

class Average implements Accumulator {
  readonly #sum = new Sum()
  #count = 0

  add(value: Data): void {
    this.#sum.add(value)
    this.#count++
  }

  result(): Data {
    return this.#count === 0 ? null : toData(Number(plain(this.#sum.result())) / this.#count, true)
  }
}

function toData(number: number, isFloat: boolean): Data {
  return isFloat && Number.isInteger(number) ? new Float(number) : number
}

function plain(value: Data): number | bigint {
  return numberIn(value) ?? 0
}

function extreme(direction: 1 | -1): Accumulator {
  let best: Data = null
  return {
    add(value) {
      if (best === null || orderOf(value, best) * direction > 0) best = value
    },
    result: () => best,
  }
}

function unique(resultOf: (values: ReadonlyMap<string, Data>) => Data): Accumulator {
  const values = new Map<string, Data>()
  return {
    add(value) {
      const key = sameness(value)
      if (!values.has(key)) values.set(key, value)
    },
    result: () => resultOf(values),
  }
}
