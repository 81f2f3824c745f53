import { say } from '../../data/said.ts'
import { checkTextSize, current, spend, spendText } from '../base/limits.ts'
import { argumentFault, typeFault } from '../base/faults.ts'
import { Dict } from '../values/containers.ts'
import { escapeHtml } from '../values/markup.ts'
import { iterate, valuesOf } from '../values/iterate.ts'
import { intOf } from '../values/numbers.ts'
import { quoteText, textOf } from '../values/repr.ts'
import { isTrue, typeName } from '../values/truth.ts'
import { Undefined } from '../base/undefined.ts'
import { Bytes, Markup, type Value } from '../base/value.ts'
import { filter } from '../calls/operation.ts'
import { stripTags } from './strip-tags.ts'
import { linkUrls } from './urlize.ts'

/** Filters that escape and format strings for HTML and URLs. */
export const HTML_FILTERS = [
  filter('escape e', '', "Replaces HTML's special characters with entities.", (value) => escapeHtml(value)),
  filter('forceescape', '', 'Escapes even strings marked as HTML.', (value) => escapeHtml(textOf(value))),
  filter('safe', '', "Marks a string as HTML, so that it isn't escaped.", (value) =>
    value instanceof Markup ? value : new Markup(textOf(value)),
  ),
  filter('striptags', '', 'Removes HTML tags.', (value) => {
    const text = textOf(value)
    spendText(text.length * 48)
    return stripTags(text)
  }),
  filter('urlencode', '', 'Encodes for a URL: a string, or a dict as a query.', urlEncode),
  filter(
    'urlize',
    'trim_url_limit=none, nofollow=false, target=none, rel=none, extra_schemes=none',
    'Turns URLs and email addresses into links.',
    (value, [limit, nofollow, target, rel, schemes]) => {
      const text = textOf(value)
      spendText(text.length * 128)
      const html = linkUrls(escapeHtml(value instanceof Markup ? value : text).text, {
        limit: limit === null ? null : Number(intOf(limit) ?? 0),
        rel: relOf(rel, isTrue(nofollow)),
        target: target === null ? null : textOf(target),
        schemes: schemes === null ? [] : valuesOf(schemes).map(schemeOf),
      })
      return current.escaping ? new Markup(html) : html
    },
  ),
  filter('xmlattr', 'autospace=true', 'Writes a dict as attributes of a tag.', (value, [autospace]) => {
    const text = attributes(value)
    const spaced = isTrue(autospace) && text !== '' ? ` ${text}` : text
    return current.escaping ? new Markup(spaced) : spaced
  }),
]

function relOf(rel: Value, nofollow: boolean): string {
  const parts = new Set(
    textOf(rel ?? '')
      .split(/\s+/)
      .filter((part) => part !== ''),
  )
  if (nofollow) parts.add('nofollow')
  parts.add('noopener')
  return [...parts].sort().join(' ')
}

function schemeOf(value: Value): string {
  const scheme = textOf(value)
  if (!/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(scheme)) {
    throw argumentFault(say`${quoteText(scheme)} is not a valid URI scheme prefix.`)
  }
  return scheme
}

function attributes(value: Value): string {
  if (value instanceof Undefined) throw value.fault()
  if (!(value instanceof Dict)) throw typeFault(say`xmlattr needs a dict, not ${typeName(value)}`)
  return value
    .pairs()
    .filter(([, item]) => item !== null && !(item instanceof Undefined))
    .map(([key, item]) => {
      const name = textOf(key)
      if (typeof key !== 'string')
        throw typeFault(say`expected string or bytes-like object, got a key that isn't a string`)
      if (/[ \t\n\r\f\v/>=]/.test(name))
        throw argumentFault(say`Invalid character in attribute name: ${quoteText(name)}`)
      return `${escapeHtml(key).text}="${escapeHtml(item).text}"`
    })
    .join(' ')
}

function urlEncode(value: Value): Value {
  if (typeof value === 'string' || value instanceof Markup) return quoteUrl(textOf(value), true)
  if (value instanceof Bytes) return quoteBytes(value.bytes, true)
  if (value instanceof Dict)
    return value
      .pairs()
      .map(([key, item]) => queryPair(key, item))
      .join('&')
  if (typeof value !== 'object' || value === null || !isCollection(value))
    return quoteUrl(textOf(value), true)
  return valuesOf(value)
    .map((item) => {
      const pair = valuesOf(item)
      if (pair.length !== 2)
        throw typeFault(say`not enough values to unpack (expected 2, got ${pair.length})`)
      return queryPair(pair[0] ?? null, pair[1] ?? null)
    })
    .join('&')
}

function isCollection(value: Value): boolean {
  try {
    iterate(value)
    return true
  } catch {
    return false
  }
}

const queryPair = (key: Value, value: Value) => `${quoteQuery(key)}=${quoteQuery(value)}`

const quoteQuery = (value: Value) =>
  (value instanceof Bytes ? quoteBytes(value.bytes, false) : quoteUrl(textOf(value), false)).replaceAll(
    '%20',
    '+',
  )

function quoteUrl(text: string, keepSlash: boolean): string {
  checkTextSize(text.length * 2)
  if (!text.isWellFormed()) throw typeFault(say`'utf-8' codec can't encode a lone surrogate`)
  const quoted = encodeURIComponent(text)
    .replaceAll('!', '%21')
    .replaceAll("'", '%27')
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
    .replaceAll('*', '%2A')
  checkTextSize(quoted.length)
  return keepSlash ? quoted.replaceAll('%2F', '/') : quoted
}

function quoteBytes(bytes: Uint8Array, keepSlash: boolean): string {
  spend(bytes.length)
  let text = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    const kept = /[A-Za-z0-9_.~-]/.test(character) || (keepSlash && character === '/')
    text += kept ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}
