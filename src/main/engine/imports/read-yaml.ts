import { parseYaml } from './parse-yaml.ts'

/** Says the line and the column where the text has one. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** Begins with a key, a comment or one of the marks that begin a document. */
export function looksLikeYaml(text: string): boolean {
  return /^(?:%YAML\b|---\s|#|["']?[\w$-]+["']?\s*:(?:\s|$))/.test(text)
}

/**
 * A YAML document as plain values. A large one takes seconds.
 *
 * @throws YamlError
 */
export function readYaml(text: string): unknown {
  const parsed = parseYaml(text)
  if ('error' in parsed) throw new YamlError(parsed.error)
  return JSON.parse(parsed.json)
}
