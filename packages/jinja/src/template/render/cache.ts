import type { Registry } from '../base/registry.ts'
import { BUILT_IN } from './built-in.ts'
import { type Compiled, compileExpressionSource, compileSource, type TemplateOptions } from './render.ts'

/** The template, compiled once. */
export function templateOf(source: string, options?: TemplateOptions): Compiled {
  return cachesFor(options?.registry).templates.get(source, options)
}

/** The bare expression, compiled once. */
export function expressionOf(source: string, options?: TemplateOptions): Compiled {
  return cachesFor(options?.registry).expressions.get(source, options)
}

type Compile = (source: string, options?: TemplateOptions) => Compiled

/** Compiled templates by source, limited in number and in total source size. */
export class TemplateCache {
  private readonly compiled = new Map<string, Compiled>()
  private readonly compile: Compile
  private readonly maxEntries: number
  private readonly maxBytes: number
  private heldBytes = 0

  constructor(compile: Compile, maxEntries = 2000, maxBytes = 8_000_000) {
    this.compile = compile
    this.maxEntries = maxEntries
    this.maxBytes = maxBytes
  }

  get size(): number {
    return this.compiled.size
  }

  get bytes(): number {
    return this.heldBytes
  }

  get(source: string, options?: TemplateOptions): Compiled {
    const known = this.compiled.get(source)
    if (known !== undefined) return known
    const compiled = this.compile(source, options)
    this.compiled.set(source, compiled)
    this.heldBytes += source.length * BYTES_PER_CHARACTER
    if (this.compiled.size > this.maxEntries || this.heldBytes > this.maxBytes) this.dropOldest()
    return compiled
  }

  clear(): void {
    this.compiled.clear()
    this.heldBytes = 0
  }

  /**
   * Drops half at once, which is cheaper than tracking the order of use, and as good for templates that are
   * used repeatedly.
   */
  private dropOldest(): void {
    for (const source of [...this.compiled.keys()].slice(0, Math.ceil(this.compiled.size / 2))) {
      this.compiled.delete(source)
      this.heldBytes -= source.length * BYTES_PER_CHARACTER
    }
  }
}

/** An estimate for a source and its closures. */
const BYTES_PER_CHARACTER = 40

interface Caches {
  readonly templates: TemplateCache
  readonly expressions: TemplateCache
}

const builtIn: Caches = {
  templates: new TemplateCache(compileSource, 2000, 64_000_000),
  expressions: new TemplateCache(compileExpressionSource, 500, 8_000_000),
}
let others = new WeakMap<Registry, Caches>()

/** Called when filters change, because templates look them up when they are compiled. */
export function forgetCompiled(): void {
  builtIn.templates.clear()
  builtIn.expressions.clear()
  others = new WeakMap()
}

/** Filters are resolved at compile time, so each registry needs its own templates. */
function cachesFor(registry: Registry = BUILT_IN): Caches {
  if (registry === BUILT_IN) return builtIn
  const known = others.get(registry)
  if (known !== undefined) return known
  const caches = {
    templates: new TemplateCache(compileSource),
    expressions: new TemplateCache(compileExpressionSource),
  }
  others.set(registry, caches)
  return caches
}
