import { describe, expect, it } from 'vitest'
import { TemplateCache } from '../../../src/template/render/cache.ts'
import { compileSource } from '../../../src/template/render/render.ts'

describe('the cache of compiled templates', () => {
  it('compiles a source once and limits the number of templates', () => {
    let compiled = 0
    const cache = new TemplateCache((source) => {
      compiled++
      return compileSource(source)
    }, 100)
    for (let round = 0; round < 3; round++) cache.get('{{ a }}')
    expect(compiled).toBe(1)
    for (let index = 0; index < 1000; index++) cache.get(`{{ a }}${index}`)
    expect(cache.size).toBeLessThanOrEqual(100)
  })

  it('limits the total size, however long the sources are', () => {
    const cache = new TemplateCache(compileSource, 100_000, 1_000_000)
    for (let index = 0; index < 200; index++) cache.get(`${'x'.repeat(10_000)}${index}`)
    expect(cache.bytes).toBeLessThanOrEqual(1_000_000)
    expect(cache.size).toBeLessThan(10)
    cache.get('small')
    expect(cache.get('small')).toBe(cache.get('small'))
  })
})
