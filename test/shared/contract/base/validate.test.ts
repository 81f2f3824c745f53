import { expect, test } from 'vitest'
import { z } from 'zod'
import { text, uuid, wholeNumber } from '../../../../src/shared/contract/base/common.ts'
import { AppError } from '../../../../src/shared/contract/base/errors.ts'
import { scopeList } from '../../../../src/shared/contract/base/scopes.ts'
import { parseInput } from '../../../../src/shared/contract/base/validate.ts'
import { writeBackupRoute } from '../../../../src/shared/contract/data-folder.ts'

const schema = z.strictObject({
  id: uuid,
  label: text(5),
  tags: z.array(z.string().max(3)).max(2),
  ids: z.array(uuid),
  count: wholeNumber(1, 200),
  shape: z.enum(['round', 'square']),
  scopes: scopeList,
})
const right = {
  id: '6f1c9f5e-9c55-4a4c-8e6e-0d0a4f5b6c7d',
  label: 'right',
  tags: [],
  ids: [],
  count: '7',
  shape: 'round',
  scopes: ['automation'],
}

function faultsOf(changes: object): unknown {
  try {
    parseInput(schema, { ...right, ...changes })
    return null
  } catch (error) {
    return error instanceof AppError ? error.data : error
  }
}

test('a limit, a list of choices and a format are named together with the value', () => {
  expect([
    faultsOf({ id: 'seven' }),
    faultsOf({ label: 'cafés ☕', tags: ['a', 'b', 'c'] }),
    faultsOf({ tags: ['a', 'long'] }),
    faultsOf({ ids: [right.id, 'x'.repeat(100)] }),
    faultsOf({ count: '300', shape: 'oval' }),
    faultsOf({ scopes: ['automation', 'nope'] }),
    faultsOf({ scopes: ['automatio'] }),
  ]).toEqual([
    { id: ['must be a UUID, got "seven"'] },
    {
      label: ['has 7 characters, but at most 5 are allowed'],
      tags: ['has 3 items, but at most 2 are allowed'],
    },
    { 'tags[1]': ['has 4 characters, but at most 3 are allowed'] },
    { 'ids[1]': [`must be a UUID, got "${'x'.repeat(60)}…"`] },
    {
      count: ['must be a whole number from 1 to 200, got "300"'],
      shape: ['is "oval", but must be one of "round", "square"'],
    },
    { 'scopes[1]': [expect.stringMatching(/^is "nope", but must be one of "automation", /)] },
    { 'scopes[0]': ['is "automatio"; did you mean "automation"?'] },
  ])
})

test('a secret is never named', () => {
  const fault = () => parseInput(writeBackupRoute.body, { path: '/backup', passphrase: 'short' })
  expect(fault).toThrow('"passphrase" must have at least 12 characters')
  expect(fault).not.toThrow('short')
})
