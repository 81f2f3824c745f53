import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { type Dictionary, getKey, keysOf } from '@millrace/jinja/data'
import { type ConfigProblem, positionIn, type Report, reporter } from './config-problem.ts'
import { MAX_PAGE_SIZE, PAGE_SIZE_NAMES } from '../model/limits.ts'
import type { PageConfig } from '../model/page-config.ts'

export function warnOfCatchAlls(configs: readonly PageConfig[], problems: ConfigProblem[]): void {
  const first = configs.find(({ when }) => when === null)
  if (!first || first === configs.at(-1)) return
  reporter(
    `[${first.index}]`,
    problems,
  )({
    severity: 'warning',
    code: 'catch_all_not_last',
    said: say(
      'A configuration without "when" is used only if no other one matches; put it last to make that clear',
    ),
  })
}

export function warnOfUnsentBody(
  { method, body, rawBody, fieldOf }: PageConfig,
  problems: ConfigProblem[],
): void {
  if (method !== 'GET' || (body === null && rawBody === null)) return
  reporter(
    fieldOf(body === null ? 'raw_body' : 'body'),
    problems,
  )({
    severity: 'warning',
    code: 'body_not_sent',
    said: say('A GET request has no body; remove "method" to send it with POST'),
  })
}

export function warnOfPageSize(source: string | Dictionary, report: Report): void {
  for (const { said, at } of largePageSizes(source)) {
    const place = typeof source === 'string' ? positionIn(source, at) : {}
    report({ severity: 'warning', code: 'page_size', said, ...place })
  }
}

/** Literal page sizes above the specification's maximum. */
export function largePageSizes(
  source: string | Dictionary,
): { readonly name: string; readonly said: Said; readonly at: number }[] {
  return [...pageSizesIn(source)]
    .filter(({ size }) => size > MAX_PAGE_SIZE)
    .map(({ name, size, at }) => {
      const said = say('"{{name}}" is {{size}}; pagination supports pages of at most {{most}} records', {
        name,
        size,
        most: MAX_PAGE_SIZE,
      })
      return { name, said, at }
    })
}

function* pageSizesIn(source: string | Dictionary): Generator<{ name: string; size: number; at: number }> {
  if (typeof source !== 'string') {
    for (const name of keysOf(source)) {
      if (PAGE_SIZE_NAMES.has(name)) yield { name, size: Number(getKey(source, name)), at: 0 }
    }
    return
  }
  for (const found of source.matchAll(PAGE_SIZE)) {
    yield { name: found[1] ?? '', size: Number(found[2]), at: found.index }
  }
}

// linear: names from a table, and what repeats is bounded
const PAGE_SIZE = new RegExp(
  String.raw`["'](${[...PAGE_SIZE_NAMES].join('|')})["']\s{0,20}:\s{0,20}["']?(\d{1,9})`,
  'g',
)

/** The specification's formula is only right if the first page holds twice the limit. */
export function hintAtOneBasedOffset(text: string, report: Report): void {
  const found = ONE_BASED.exec(text)
  if (!found) return
  report({
    severity: 'hint',
    code: 'one_based_offset',
    said: say(
      '"{{formula}}" skips a page: with limit 100 the first call asks for offset 201. Use "page * limit + 1"',
      { formula: found[0] },
    ),
    ...positionIn(text, found.index),
  })
}

const ONE_BASED =
  /\(\s{0,9}\(\s{0,9}page\s{0,9}\+\s{0,9}1\s{0,9}\)\s{0,9}\*\s{0,9}[\w.]{1,60}\s{0,9}\)\s{0,9}\+\s{0,9}1\b/

/** In a counted list, a page that the filter empties isn't the end: a marker that it drops doesn't end the list. */
export function hintAtFilteredEnd(
  { readsResponse, responsePath, fieldOf }: PageConfig,
  problems: ConfigProblem[],
): void {
  const found = readsResponse ? null : EXISTS.exec(responsePath?.trim() ?? '')
  if (found === null) return
  const [filter, name = ''] = found
  reporter(
    fieldOf('response_jsonpath'),
    problems,
  )({
    severity: 'hint',
    code: 'filter_hides_end',
    said: say(
      'A page that "{{filter}}" leaves empty isn\'t the end of the list. If an entry without "{{name}}" marks the end, use "{{path}}"',
      { filter, name, path: `[*].${name}` },
    ),
  })
}

const EXISTS = /\[\?\s{0,9}\(?\s{0,9}@\.([A-Za-z_]\w{0,60})\s{0,9}\)?\s{0,9}\]$/
