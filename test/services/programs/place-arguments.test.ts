import { describe, expect, it } from 'vitest'
import { englishOf } from '../../../src/shared/contract/base/message.ts'
import { placeArguments } from '../../../src/main/services/reaching/programs/place-arguments.ts'

const place = (fixed: readonly string[], given: readonly string[], isWindows = false) =>
  placeArguments(
    { name: 'tool', arguments: [...fixed] },
    given.map((text) => ({ text: text === 'SEPARATOR' ? '--' : text, isSeparator: text === 'SEPARATOR' })),
    isWindows,
  )

describe('arguments of a step', () => {
  it('fill their placeholders first, and follow at the end', () => {
    expect([
      place(['-m', '{}', '--to={}', 'x'], ['rf', '--y', 'a b"\'\n$(c) $&', '{}']),
      place(['--', '{}'], ['-a', '-b']),
      place([], ['a', 'SEPARATOR', '-b', '--']),
    ]).toEqual([
      ['-m', 'rf', '--to=--y', 'x', 'a b"\'\n$(c) $&', '{}'],
      ['--', '-a', '-b'],
      ['a', '--', '-b', '--'],
    ])
  })

  it.for([
    [[], ['-rf'], 'is "-rf", which "tool" would take for an option'],
    [[], ['a', '--option=value'], 'is "--option=value"'],
    [[], ['--'], 'is "--"'],
    [['{}'], ['-a', '-b'], 'is "-a", which "tool" could take for an option'],
    [['{}'], ['-K/etc/passwd'], 'put -- before the place {}'],
    [['{}', '{}'], ['a'], 'is missing: "tool" has 2 fixed places'],
    [['{}'], ['a\0b'], 'contains the character NUL'],
  ] as const)('%j and %j are rejected', ([fixed, given, problem]) => {
    const placed = place(fixed, given)
    expect('problem' in placed && englishOf(placed.problem)).toContain(problem)
  })

  it('that start with / are options on Windows', () => {
    expect([place([], ['/q'], true), place([], ['/q'])]).toMatchObject([{ at: 0 }, ['/q']])
  })
})
