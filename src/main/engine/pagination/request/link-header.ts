import { type Dictionary, dictionaryOf } from '@millrace/jinja/data'

/**
 * The variable `links`: absolute targets of a `Link` header (RFC 8288) by relation. The first target of a relation
 * wins. Unreadable targets are skipped, and so are those marked `results="false"`, because some APIs keep a link
 * on their last page.
 *
 * @param base the URL that responded
 */
export function readLinks(header: string | null, base: string): Dictionary {
  const targets = new Map<string, string>()
  for (const { target, relations } of parseLinkHeader(header ?? '')) {
    const url = URL.parse(target, base)
    if (!url) continue
    for (const relation of relations) if (!targets.has(relation)) targets.set(relation, url.href)
  }
  return dictionaryOf(targets)
}

interface Link {
  readonly target: string
  readonly relations: readonly string[]
}

/** `<target>; param=token; param="quoted, with \" in it", <target>…`: commas and semicolons also occur inside both. */
function parseLinkHeader(header: string): Link[] {
  const links: Link[] = []
  let at = header.indexOf('<')
  while (at !== -1) {
    const end = header.indexOf('>', at)
    if (end === -1) break
    const target = header.slice(at + 1, end).trim()
    const { relations, isEmpty, next } = readParameters(header, end + 1)
    if (!isEmpty) links.push({ target, relations })
    at = header.indexOf('<', next)
  }
  return links
}

function readParameters(
  header: string,
  start: number,
): { relations: string[]; isEmpty: boolean; next: number } {
  let relations: string[] | null = null
  let isEmpty = false
  PARAMETER.lastIndex = start
  for (let found = PARAMETER.exec(header); found; found = PARAMETER.exec(header)) {
    start = PARAMETER.lastIndex
    const [, name = '', quoted, token = ''] = found
    // RFC 8288 3.3: only the first of several `rel` counts.
    const value = quoted === undefined ? token : quoted.replaceAll(/\\(.)/g, '$1')
    if (name.toLowerCase() === 'results') isEmpty = value.toLowerCase() === 'false'
    if (name.toLowerCase() !== 'rel' || relations) continue
    relations = value.toLowerCase().split(/\s+/).filter(Boolean)
  }
  return { relations: relations ?? [], isEmpty, next: start }
}

/**
 * Sticky, so it matches one parameter at the current position. Every quantifier ends at a character that the next
 * one can't match.
 */
const PARAMETER = /\s*;\s*([^\s=;,<>"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,<>"]*)))?/y
