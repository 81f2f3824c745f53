import { isRecord, textOf, type Plain } from './plain.ts'

export interface Scripts {
  /** The scripts that run before and after a request is sent. */
  readonly before: string
  readonly after: string
}

export function scriptsOf(item: Plain): Scripts {
  const events = (Array.isArray(item['event']) ? item['event'] : []).filter(isRecord)
  const source = (kind: string) =>
    events
      .filter((event) => event['listen'] === kind && event['disabled'] !== true)
      .map(({ script }) => (isRecord(script) ? script['exec'] : script))
      .map((exec) => (Array.isArray(exec) ? exec.map(textOf).join('\n') : textOf(exec)))
      .join('\n')
      // linear: a comment that is not closed reaches to the end
      .replaceAll(/\/\*[^]*?(?:\*\/|(?![^]))|^[ \t]*\/\/.*$/gm, '')
      .trim()
  return { before: source('prerequest'), after: source('test') }
}

/**
 * Whether the script does more than read the request and set variables, so that the request that is sent differs from
 * the one in the file.
 */
export function changesRequest(before: string): boolean {
  const isAlias = /=\s*(?:pm\.)?request\s*(?:;|$|,)/m.test(before)
  return CHANGES.test(before) || (isAlias && CALLS.test(before))
}

// linear: what repeats is bounded
const CHANGES =
  /\brequest(?:\.\w{1,60}|\[[^[\]]{0,200}\]){0,20}(?:\s*(?:[+]?=)(?!=)|\.(?:add|upsert|remove|update|clear|append|assign|populate|insert|set|addHeader|upsertHeader|removeHeader|addQueryParams|removeQueryParams)\s*\()/
const CALLS =
  /\.(?:add|upsert|remove|update|clear|append|assign|addHeader|upsertHeader|removeHeader|addQueryParams|removeQueryParams)\s*\(/

/** The variables that the script sets. */
export function variablesSetBy(script: string): string[] {
  return [...script.matchAll(SETS)].map((found) => found[1] ?? found[2] ?? '').filter((name) => name !== '')
}

// linear: a string ends at the next quote
const SETS =
  /\b(?:pm\.(?:environment|globals|variables|collectionVariables)\.set|postman\.set(?:Environment|Global)Variable)\(\s*(?:'([^']+)'|"([^"]+)")/g
