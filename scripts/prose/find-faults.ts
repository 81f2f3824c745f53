import { LONGEST_SENTENCE, PROSE_RULES } from './rules.ts'
import type { Passage } from './sources.ts'

/** An occurrence of a phrase that is correct. */
export interface Allowed {
  readonly path: string
  readonly phrase: string
  readonly reason: string
}

export interface Fault extends Passage {
  readonly rule: string
  readonly found: string
  readonly instead: string
}

/** Violations that aren't allowed, and allowances that match nothing. */
export function findFaults(
  passages: readonly Passage[],
  allowed: readonly Allowed[],
): { readonly faults: readonly Fault[]; readonly unused: readonly Allowed[] } {
  const used = new Set<Allowed>()
  const faults = passages.flatMap((passage): Fault[] => {
    const found = [
      ...PROSE_RULES.flatMap(({ name, pattern, instead }) =>
        [...passage.text.matchAll(pattern)].map(([phrase]) => ({
          ...passage,
          rule: name,
          found: phrase,
          instead,
        })),
      ),
      ...(passage.path.endsWith('.md') ? longSentences(passage) : []),
    ]
    return found.filter((fault) => {
      const entry = allowed.find(
        ({ path, phrase }) =>
          path === fault.path && passage.text.includes(phrase) && phrase.includes(fault.found),
      )
      if (entry !== undefined) used.add(entry)
      return entry === undefined
    })
  })
  return { faults, unused: allowed.filter((entry) => !used.has(entry)) }
}

function longSentences(passage: Passage): Fault[] {
  return passage.text
    .split(/(?<=[.!?:;])\s+/)
    .filter((sentence) => sentence.split(/\s+/).length > LONGEST_SENTENCE)
    .map((sentence) => ({
      ...passage,
      rule: 'long sentence',
      found: `${sentence.split(/\s+/).slice(0, 6).join(' ')} …`,
      instead: 'two sentences',
    }))
}
