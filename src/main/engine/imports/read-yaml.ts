import { SpokenError } from '../../../shared/contract/base/errors.ts'
import { parseYaml } from './parse-yaml.ts'

/** Has the line and column if there is one. */
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
