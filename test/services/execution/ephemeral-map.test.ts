import { describe, expect, it } from 'vitest'
import { EphemeralMap } from '../../../src/main/services/execution/ephemeral-map.ts'

describe('a map of what passes through', () => {
  it('gives what is in it by its key, in the order it came, and nothing of what has left', () => {
    const map = new EphemeralMap<{ readonly n: number }>()
    for (let n = 0; n < 1_000; n++) {
      map.set(`k${n}`, { n })
      if (n >= 3) map.delete(`k${n - 3}`)
    }
    expect(map.size).toBe(3)
    expect([...map.values()]).toEqual([{ n: 997 }, { n: 998 }, { n: 999 }])
    expect([map.get('k998'), map.get('k996'), map.has('k998'), map.has('k996')]).toEqual([
      { n: 998 },
      null,
      true,
      false,
    ])
    expect([map.delete('k998'), map.delete('k998')]).toEqual([true, false])
  })

  it('holds the newer of two under one key', () => {
    const map = new EphemeralMap<{ readonly n: number }>()
    map.set('a', { n: 1 })
    map.set('a', { n: 2 })
    expect([map.size, map.get('a')]).toEqual([1, { n: 2 }])
  })
})
