import { type Compiled, compileExpressionSource, compileSource, type TemplateOptions } from './run.ts'

/** How much is kept: templates, and bytes of their sources. */
const MAX_ENTRIES = 2000
const MAX_BYTES = 8_000_000

const templates = new Map<string, Compiled>()
const expressions = new Map<string, Compiled>()
let bytes = 0

/** The template, compiled once. */
export function templateOf(source: string, options?: TemplateOptions): Compiled {
  return templates.get(source) ?? keep(templates, source, compileSource(source, options))
}

/** The bare expression, compiled once. */
export function expressionOf(source: string, options?: TemplateOptions): Compiled {
  return expressions.get(source) ?? keep(expressions, source, compileExpressionSource(source, options))
}

/** Templates and bytes kept at the moment. */
export function cacheSize(): { entries: number; bytes: number } {
  return { entries: templates.size + expressions.size, bytes }
}

/** Drops the oldest half when it is full: cheaper than keeping an order of use, and as good for templates that stay. */
function keep(cache: Map<string, Compiled>, source: string, compiled: Compiled): Compiled {
  bytes += source.length
  cache.set(source, compiled)
  if (cache.size > MAX_ENTRIES || bytes > MAX_BYTES) {
    for (const key of [...cache.keys()].slice(0, Math.ceil(cache.size / 2))) {
      bytes -= key.length
      cache.delete(key)
    }
  }
  return compiled
}
