import { englishOf } from '../../../src/shared/contract/base/message.ts'
import { afterAll, expect, it } from 'vitest'
import { createScripts } from '../../../src/main/services/reaching/step-ports/run-scripts.ts'
import type { Script } from '../../../src/main/engine/flow/model/ports.ts'

const scripts = createScripts()
afterAll(() => scripts.close())

/** Runs them one after the other, so that they use the same thread. */
async function outcomes(...sources: readonly (readonly [Script['runtime'], string])[]) {
  const list: unknown[] = []
  for (const [runtime, source] of sources) {
    const { outcome } = await scripts.run({ source, runtime }, '{}', AbortSignal.timeout(60_000))
    list.push(
      outcome.kind === 'returned'
        ? JSON.parse(outcome.value)
        : 'said' in outcome
          ? englishOf(outcome.said)
          : outcome.message,
    )
  }
  return list
}

it('a script finds nothing of those before it, whatever they changed', async () => {
  const spoil = `globalThis.left = 1; Array.prototype.map = null; JSON.parse = null; console.log = null
    if (typeof DateTime === 'function') DateTime.now = () => 'never'
    return [typeof left, typeof DateTime]`
  const look = 'return [typeof left, [1].map((n) => n + 1), typeof console.log, typeof DateTime]'
  expect(
    await outcomes(
      ['javascript', spoil],
      ['n8n', look],
      ['n8n', spoil],
      ['javascript', look],
      ['n8n', 'return [typeof left, typeof DateTime.now().year]'],
    ),
  ).toEqual([
    ['number', 'undefined'],
    ['undefined', [2], 'function', 'function'],
    ['number', 'function'],
    ['undefined', [2], 'function', 'undefined'],
    ['undefined', 'number'],
  ])
})

it('memory that a script has used and ended with is free for the next', async () => {
  const fill = 'globalThis.held = Array.from({ length: 100_000 }, (_, at) => ({ at })); return held.length'
  const rounds = Array.from({ length: 20 }, (_, at) => [at % 2 === 0 ? 'n8n' : 'javascript', fill] as const)
  expect(await outcomes(...rounds)).toEqual(rounds.map(() => 100_000))
})

it('random numbers are different in each run, and between 0 and 1', async () => {
  const source = 'return Array.from({ length: 1000 }, Math.random)'
  const [one, two, three] = (await outcomes(
    ['javascript', source],
    ['javascript', source],
    ['n8n', source],
  )) as [number[], number[], number[]]
  const all = [...one, ...two, ...three]
  const mean = all.reduce((sum, number) => sum + number, 0) / all.length
  expect([new Set(all).size, all.every((number) => number >= 0 && number < 1)]).toEqual([3000, true])
  expect(mean).toBeGreaterThan(0.4)
  expect(mean).toBeLessThan(0.6)
})

it('what the host knows of languages and time zones is asked within limits', async () => {
  expect(
    await outcomes(
      ['n8n', "return Intl.DateTimeFormat('de', { timeZone: 'Mars/Olympus' }).format(0)"],
      ['n8n', "return new Intl.NumberFormat('not a language').format(1)"],
      ['n8n', 'return new Intl.DateTimeFormat().format(NaN)'],
      ['n8n', "return new Intl.ListFormat().format(['x'.repeat(200_000)])"],
      [
        'n8n',
        "return Intl.NumberFormat().format(12345678901234567890n) + Intl.NumberFormat('de').format(1e400)",
      ],
      [
        'n8n',
        'return [Intl.NumberFormat().resolvedOptions().locale, new Date(NaN).toLocaleString(), typeof Intl.Segmenter]',
      ],
      ['javascript', 'return typeof Intl'],
    ),
  ).toEqual([
    'RangeError: Invalid time zone specified: Mars/Olympus',
    expect.stringContaining('RangeError: Incorrect locale information'),
    'RangeError: Invalid time value',
    'RangeError: the value to format is too long',
    '12,345,678,901,234,567,890∞',
    ['en-US', 'Invalid Date', 'undefined'],
    'undefined',
  ])
})

it('a script loads no other code', async () => {
  expect(
    await outcomes(
      ['n8n', "return await import('/etc/hostname')"],
      ['n8n', `return await import(${JSON.stringify(import.meta.url)})`],
    ),
  ).toEqual([
    expect.stringContaining('could not load module'),
    expect.stringContaining('could not load module'),
  ])
})

it('the line of a failure is one of the source, also where the runtime fails', async () => {
  const fails = async (source: string) => {
    const { outcome } = await scripts.run({ source, runtime: 'n8n' }, '{}', AbortSignal.timeout(60_000))
    return outcome
  }
  expect(await fails('const a = 1\n$fail("no luck")')).toEqual({
    kind: 'threw',
    message: 'Error: no luck',
    line: 2,
  })
})
