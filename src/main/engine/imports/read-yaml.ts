import { SpokenError } from '../../../shared/contract/base/errors.ts'
import { LineCounter, parseDocument } from 'yaml'
import { quoted, say, type Said } from '../../../shared/contract/base/message.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { IMPORT_LIMITS } from './plain.ts'

/** The message contains the line and column, if known. */
export class YamlError extends SpokenError {
  override readonly name = 'YamlError'
}

/** Begins with a key, a comment or a document marker. */
export function looksLikeYaml(text: string): boolean {
  return /^(?:%YAML\b|---\s|#|["']?[\w$-]+["']?\s*:(?:\s|$))/.test(text)
}

/**
 * Reads a YAML document as plain values. A large one takes seconds.
 *
 * @throws YamlError
 */
export function readYaml(text: string): unknown {
  const parsed = parseYaml(text)
  if ('error' in parsed) throw new YamlError(parsed.error)
  return JSON.parse(parsed.json)
}

type ParsedYaml = { readonly json: string } | { readonly error: Said }

/**
 * Parses a YAML 1.2 document, including merge keys (`<<`), to JSON, or reports the problem and its place. Rejects
 * multiple documents, and documents beyond the import limits, because a short source with aliases can expand without
 * end.
 */
function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
    const [error] = document.errors
    if (error !== undefined) {
      if (/call stack/.test(error.message)) return TOO_DEEP
      const { line, col } = lines.linePos(error.pos[0])
      const rest =
        error.code === 'MULTIPLE_DOCS'
          ? say('a second document begins here; send one')
          : quoted(error.message)
      return { error: say('line {{line}}, column {{column}}: {{rest}}', { line, column: col, rest }) }
    }
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
    return refusalOf(value) ?? { json: JSON.stringify(value) ?? 'null' }
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP
    if (error instanceof ReferenceError)
      return { error: say('its aliases expand to too much data: {{reason}}', { reason: error.message }) }
    throw error
  }
}

const MOST_ALIASES = 1_000
const TOO_DEEP = { error: say('it is nested more than {{limit}} levels deep', { limit: LIMITS.jsonDepth }) }

/** Counts the content of an alias each time it is used, so that counting ends even if an alias refers to itself. */
function refusalOf(document: unknown): ParsedYaml | null {
  let values = 0
  let bytes = 0
  const waiting: [value: unknown, depth: number][] = [[document, 0]]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next
    values += 1
    if (values > IMPORT_LIMITS.maxValues)
      return { error: say('it has more than {{limit}} values', { limit: IMPORT_LIMITS.maxValues }) }
    if (typeof value === 'string') bytes += value.length
    if (bytes > IMPORT_LIMITS.maxBytes)
      return {
        error: say('its aliases expand to more than {{size}} MB', {
          size: IMPORT_LIMITS.maxBytes / 1_048_576,
        }),
      }
    if (typeof value !== 'object' || value === null) continue
    if (depth >= LIMITS.jsonDepth) return TOO_DEEP
    for (const [key, child] of Object.entries(value)) {
      bytes += Array.isArray(value) ? 1 : key.length
      waiting.push([child, depth + 1])
    }
  }
  return null
}
