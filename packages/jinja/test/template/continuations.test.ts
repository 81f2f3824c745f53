import { expect, test } from 'vitest'
import { completionEntries, continuationsOf } from '../../src/template/index.ts'

const TYPES = ['str', 'int', 'float', 'bool', 'none', 'list', 'dict']

test('every filter is offered for a value of some type', () => {
  const offered = new Set(TYPES.flatMap((type) => continuationsOf(type, 'id').map(({ name }) => name)))
  const filters = completionEntries().filter(({ kind }) => kind === 'filter')
  expect(filters.filter(({ name }) => !offered.has(name)).map(({ name }) => name)).toEqual([])
  expect(continuationsOf('list', null).some(({ insert }) => insert.includes('KEY'))).toBe(false)
})
