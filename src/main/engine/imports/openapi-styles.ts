/** Templates that serialize values according to OpenAPI's styles (RFC 6570). */
import type { Kind } from './openapi-schemas.ts'

export interface Written {
  /** The name as it appears in the URL. */
  readonly name: string
  /** The expression that reads the value. */
  readonly read: string
  readonly kind: Kind
  readonly style: string
  readonly explode: boolean
  readonly allowReserved: boolean
}

/** Whether the value exists. In a URL, null and a missing value are the same. */
export const isThere = (read: string): string => `${read} is defined and ${read} is not none`

export const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll("'", '%27')

/**
 * Serializes a value in a URL. Values other than strings are written as in JavaScript, and characters that could end
 * the value's part of the URL are encoded.
 */
export const MACROS = {
  enc: "{% macro enc(v) %}{{ (v if v is string else v | jsonify) | urlencode | replace('/', '%2F') }}{% endmacro %}",
  /** Reserved characters are kept, except those with a meaning in every query. */
  res: `{% macro res(v) %}{{ (v if v is string else v | jsonify) | urlencode${[...":?@!$'()*,;"]
    .map(
      (sign) =>
        ` | replace('%${sign.charCodeAt(0).toString(16).toUpperCase()}', ${sign === "'" ? '"\'"' : `'${sign}'`})`,
    )
    .join('')} }}{% endmacro %}`,
  /** Writes `name[key]=…`, at any depth. */
  put: "{% macro put(name, v) %}{% if v is mapping %}{% for key, item in v.items() %}{{ put(name ~ '%5B' ~ enc(key | string) ~ '%5D', item) }}{% endfor %}{% elif v is iterable and v is not string %}{% for item in v %}{{ put(name ~ '%5B' ~ loop.index0 ~ '%5D', item) }}{% endfor %}{% elif v is not none %}&{{ name }}={{ enc(v) }}{% endif %}{% endmacro %}",
} as const

/** Prepends the macros that a template calls. */
export function withMacros(template: string): string {
  const used = (['enc', 'res', 'put'] as const).filter(
    (name) => template.includes(`${name}(`) || (name === 'enc' && template.includes('put(')),
  )
  return used.map((name) => MACROS[name]).join('') + template
}

/** Wraps a single value in a list, because a string would be iterated character by character. */
const listOf = (read: string): string => `([${read}] if ${read} is string else ${read})`

/**
 * The expression for the query or form object, which sends a list as its name once for each item. Null if the style
 * requires something else.
 */
export function asEntry({ read, kind, style, explode, allowReserved }: Written, items: Kind): string | null {
  if (allowReserved && kind !== 'number' && kind !== 'boolean') return null
  if (style === 'deepObject') return null
  const isList = kind === 'array'
  if (kind === 'object') return null
  if (!isList || explode) return `{{ ${read} }}`
  const between = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : null
  if (between === null) return null
  const parts = items === 'text' ? listOf(read) : `${listOf(read)} | map('jsonify')`
  return items === 'any' || items === 'object' || items === 'array'
    ? null
    : `{{ ${parts} | join('${between}') if ${isThere(read)} }}`
}

/** A template that writes `&name=value`, or nothing without a value. */
export function asPairs({ name, read, kind, style, explode, allowReserved }: Written): string {
  const key = encodeName(name)
  const enc = allowReserved ? 'res' : 'enc'
  const when = (text: string, more = '') => `{% if ${isThere(read)}${more} %}${text}{% endif %}`
  if (style === 'deepObject') return when(`{{ put('${key}', ${read}) }}`)
  const between = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  const isSeparate = explode || (kind !== 'array' && kind !== 'object')
  if (kind === 'array') {
    const list = listOf(read)
    return isSeparate
      ? when(`{% for v in ${list} %}&${key}={{ ${enc}(v) }}{% endfor %}`)
      : when(
          `&${key}={% for v in ${list} %}{{ '${between}' if not loop.first }}{{ ${enc}(v) }}{% endfor %}`,
          ` and ${read} != []`,
        )
  }
  if (kind === 'object') {
    const each = `for k, v in ${read}.items()`
    return isSeparate
      ? when(`{% ${each} %}&{{ enc(k) }}={{ ${enc}(v) }}{% endfor %}`)
      : when(
          `&${key}={% ${each} %}{{ '${between}' if not loop.first }}{{ enc(k) }}${between}{{ ${enc}(v) }}{% endfor %}`,
          ` and ${read} != {}`,
        )
  }
  return when(`&${key}={{ ${enc}(${read}) }}`)
}

/** A template for the path segment of a parameter. */
export function inPath({ name, read, kind, style, explode }: Written): string {
  const isMatrix = style === 'matrix'
  const first = style === 'label' ? '.' : ''
  const key = encodeName(name)
  const between = !explode ? ',' : style === 'label' ? '.' : isMatrix ? ';' : ','
  if (kind === 'array') {
    const list = listOf(read)
    if (isMatrix && explode) return `{% for v in ${list} %};${key}={{ enc(v) }}{% endfor %}`
    return `${isMatrix ? `;${key}=` : first}{% for v in ${list} %}{{ '${between}' if not loop.first }}{{ enc(v) }}{% endfor %}`
  }
  if (kind === 'object') {
    const start = isMatrix ? (explode ? ';' : `;${key}=`) : first
    return `${start}{% for k, v in ${read}.items() %}{{ '${between}' if not loop.first }}{{ enc(k) }}${explode ? '=' : ','}{{ enc(v) }}{% endfor %}`
  }
  const text =
    kind === 'text' || kind === 'number' ? read : `(${read} if ${read} is string else ${read} | jsonify)`
  const value = `{{ ${text} | urlencode | replace('/', '%2F') }}`
  return `${isMatrix ? `;${key}=` : first}${value}`
}

/** The expression for a header; null if the value is an object, which is rare in headers. */
export function inHeader({ read, kind }: Pick<Written, 'read' | 'kind'>, items: Kind): string | null {
  if (kind === 'object') return null
  if (kind !== 'array') return `{{ ${read} }}`
  if (items === 'object' || items === 'array') return null
  const parts = items === 'number' || items === 'boolean' ? `${listOf(read)} | map('jsonify')` : listOf(read)
  return `{{ ${parts} | join(',') if ${isThere(read)} }}`
}
