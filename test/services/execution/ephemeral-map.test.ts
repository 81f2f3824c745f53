import { describe, expect, it } from 'vitest'
import { EphemeralMap } from '../../../src/main/services/running/execution/ephemeral-map.ts'

describe('a map of what passes through', () => {
  it('returns its items by key, in insertion order, and no removed ones', () => {
    const map = new EphemeralMap<{ readonly n: number }>()
    for (let n = 0; n < 1_000; n++) {
      map.set(`k${n}`, { n })
      if (n >= 3) map.delete(`k${n - 3}`)
    }
    expect(map.size).toBe(3)
    expect([...map.values()]).toEqual([{ n: 997 }, { n: 998 }, { n: 999 }])
    expect({
      kept: map.get('k998'),
      dropped: map.get('k996'),
      hasKept: map.has('k998'),
      hasDropped: map.has('k996'),
    }).toEqual({ kept: { n: 998 }, dropped: null, hasKept: true, hasDropped: false })
    expect({ first: map.delete('k998'), again: map.delete('k998') }).toEqual({ first: true, again: false })
  })

  it('keeps the newer of two under one key', () => {
    const map = new EphemeralMap<{ readonly n: number }>()
    map.set('a', { n: 1 })
    map.set('a', { n: 2 })
    expect({ size: map.size, value: map.get('a') }).toEqual({ size: 1, value: { n: 2 } })
  })
})
