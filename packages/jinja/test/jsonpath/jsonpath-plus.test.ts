import { JSONPath } from 'jsonpath-plus'
import { expect, it } from 'vitest'
import { writeJson } from '../../src/data/json.ts'
import type { Data } from '../../src/data/value.ts'
import { selectJsonPath } from '../../src/jsonpath/index.ts'
import { randomFrom } from '../../../../test/helpers/random.ts'

/** The syntax both support, on random documents, except for the disagreements named in the README. */
it('selects what jsonpath-plus selects, in the same order', () => {
  const random = randomFrom(42)
  const pick = <T>(choices: readonly T[]): T => choices[random(choices.length)] as T
  const names = ['a', 'b', 'c', 'id', 'list']

  const value = (depth: number): Data => {
    const kind = depth > 3 ? random(3) : random(7)
    if (kind === 0) return 1 + random(4)
    if (kind === 1) return true // jsonpath-plus treats strings as lists of characters
    if (kind === 2) return 1.5
    if (kind < 5) return Array.from({ length: random(4) }, () => value(depth + 1))
    const list = () => Array.from({ length: random(4) }, () => value(depth + 1))
    // Filters compare `id` and look into `list`; for other types JavaScript converts the values.
    const member = (name: string) =>
      name === 'id' ? 1 + random(4) : name === 'list' ? list() : value(depth + 1)
    return Object.fromEntries(names.filter(() => random(2)).map((name) => [name, member(name)]))
  }
  const operand = () => pick(['@.id', '@.a', '@.list[0]', '1', '2', 'true'])
  const test = () =>
    pick([
      () => `@.${pick(names)}`,
      () => `!@.${pick(names)}`,
      () => `@.id ${pick(['===', '<', '>', '<=', '>='])} ${1 + random(4)}`,
      () => `@.a ${pick(['===', '!=='])} true`,
      () => `@.id && @.list && ${operand()} === ${operand()}`,
      () => `@.a || @.b`,
      () => `@.id + 1 > ${random(5)} && (@.id * 2 < 7 || @.c)`,
    ])()
  const segment = (): string =>
    pick([
      () => `.${pick(names)}`,
      () => `['${pick(names)}']`,
      () => `..${pick(names)}`,
      () => '.*',
      () => '[*]',
      () => '..*',
      () => `[${random(3)}]`,
      () => `[${random(2)},${random(3)}]`,
      () => `[${random(2)}:${1 + random(3)}]`,
      () => '[-1:]',
      () => `[?(${test()})]`,
      () => `..[?(${test()})]`,
    ])()

  let matched = 0
  const differing: unknown[] = []
  for (let round = 0; round < 4000; round++) {
    const document = [value(0), value(0), { list: value(1), a: value(1) }]
    const path = `$${Array.from({ length: 1 + random(4) }, segment).join('')}`
    const theirs = JSONPath({ path, json: document, wrap: true, ignoreEvalErrors: true }) as Data[]
    const ours = selectJsonPath(path, document)
    if (writeJson(ours) !== writeJson(theirs)) differing.push({ path, document, ours, theirs })
    if (ours.length > 0) matched++
  }
  expect(differing).toEqual([])
  expect(matched).toBeGreaterThan(1000)
})
