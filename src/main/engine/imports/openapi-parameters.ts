import { say, type Said } from '../../../shared/contract/base/message.ts'
import { isSecretName, literal, notImported } from './draft.ts'
import { childOf, textOf, type Plain } from './plain.ts'
import { contentTypeOf, type Inputs, isRequired } from './openapi-inputs.ts'
import type { Schemas } from './openapi-schemas.ts'
import { asEntry, asPairs, inHeader, inPath, isThere, withMacros, type Written } from './openapi-styles.ts'

export interface Address {
  readonly endpoint: string
  readonly query: Record<string, string>
  readonly headers: Record<string, string>
}

export interface ParametersOf {
  readonly path: string
  /** The parameter lists of the path item and the operation. */
  readonly lists: readonly unknown[]
  readonly schemas: Schemas
  readonly inputs: Inputs
  /** Reports what can't be translated, with the reason. */
  readonly leave: (item: string, reason: Said) => void
  /** Whether the credentials use this header. */
  readonly isCredential: (name: string) => boolean
}

/** The parts of an operation's URL and headers that its parameters add. */
export function addressOf({ path, lists, schemas, inputs, leave, isCredential }: ParametersOf): Address {
  const { references, kindOf } = schemas
  const parameters = new Map<string, Plain>()
  const blocks: string[] = []
  for (const entry of lists.flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))) {
    const missing = references.unknown(entry)
    const parameter = references.resolve(entry)
    const name = textOf(parameter['name'])
    if (missing !== null || name === '') {
      const what = missing === null ? 'a parameter without a name' : `the parameter ${missing}`
      blocks.push(notImported(`${what}, which this document does not have`))
      leave(
        'a parameter',
        missing === null ? say('has no name') : say('{{missing}} is not in this document', { missing }),
      )
    } else parameters.set(`${textOf(parameter['in'])} ${name}`, parameter)
  }
  const query: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const inAddress: string[] = []
  const cookies: string[] = []
  const inSegments = new Map<string, string>()
  for (const parameter of parameters.values()) {
    const name = textOf(parameter['name'])
    const place = textOf(parameter['in'])
    const media = contentTypeOf(parameter)
    const schema =
      media === '' ? parameter['schema'] : childOf(childOf(parameter, 'content'), media)['schema']
    const kind = kindOf(schema)
    const items = kindOf(references.resolve(schema)['items'])
    const style = textOf(parameter['style']) || DEFAULT_STYLES[place] || ''
    const add = () =>
      inputs.add(place, name, {
        schema,
        required: place === 'path' || isRequired(parameter),
        description: parameter['description'],
      })
    const written = (): Written => ({
      name,
      read: add(),
      kind,
      style,
      explode: typeof parameter['explode'] === 'boolean' ? parameter['explode'] : style === 'form',
      allowReserved: parameter['allowReserved'] === true,
    })
    if (media !== '') {
      const read = add()
      const value = /\bjson\b/i.test(media) ? `${read} | jsonify` : read
      const entry = `{{ ${value} if ${isThere(read)} }}`
      if (place === 'query') query[name] = entry
      else if (place === 'header') headers[name] = entry
      else if (place === 'path') inSegments.set(name, `{{ (${value}) | urlencode | replace('/', '%2F') }}`)
      else blocks.push(notImported(`the ${place} parameter ${name}`))
      if (place !== 'query' && place !== 'header' && place !== 'path')
        leave(`${place} ${name}`, say("is encoded as a media type there, which actions don't support"))
    } else if (place === 'query') {
      const one = written()
      const entry = asEntry(one, items)
      if (entry === null) inAddress.push(asPairs(one))
      else query[name] = entry
      if (style === 'deepObject' && kind !== 'object' && kind !== 'any')
        leave(
          `query ${name}`,
          say(
            "is a list in the style deepObject, which OpenAPI doesn't define for lists: it is sent as name[0]=…",
          ),
        )
    } else if (place === 'header') {
      if (/^(?:accept|content-type)$/i.test(name)) continue // OpenAPI ignores them
      if (isSecretName(name) && isCredential(name)) {
        leave(`header ${name}`, say('contains a credential: store it in a connector auth'))
        continue
      }
      const one = written()
      const header = inHeader(one, items)
      if (header === null)
        leave(`header ${name}`, say("is an object, but an action's headers can't be objects"))
      headers[name] =
        header ?? `{{ ${call(`the header ${name}, which is an object`)} if ${isThere(one.read)} }}`
    } else if (place === 'path') inSegments.set(name, inPath(written()))
    else if (place === 'cookie') {
      const one = written()
      const isOne = one.kind !== 'array' && one.kind !== 'object'
      if (!isOne) leave(`cookie ${name}`, say('must be a single value to be sent as a cookie'))
      const text = `(${one.read} if ${one.read} is string else ${one.read} | jsonify) | urlencode`
      const value = isOne ? `'${name.replaceAll("'", '')}=' ~ (${text})` : call(`the cookie ${name}`)
      cookies.push(`(${value} if ${isThere(one.read)} else '')`)
    } else {
      blocks.push(notImported(`the parameter ${name} in "${place}"`))
      leave(`parameter ${name}`, say('is in "{{place}}", which OpenAPI 3 doesn\'t have', { place }))
    }
  }
  if (cookies.length > 0) headers['Cookie'] = `{{ [${cookies.join(', ')}] | select | join('; ') or none }}`
  const segments = path
    .replace(/^\//, '')
    .split(/(\{[^{}]+\})/)
    .map((part) => {
      if (!/^\{.+\}$/.test(part)) return literal(part)
      const name = part.slice(1, -1).replace(/\*$/, '')
      const known = inSegments.get(name)
      if (known !== undefined) return known
      const read = inputs.add('path', name, { schema: {}, required: true })
      const template = inPath({
        name,
        read,
        kind: 'text',
        style: 'simple',
        explode: false,
        allowReserved: false,
      })
      inSegments.set(name, template)
      return template
    })
  const search =
    inAddress.length === 0
      ? ''
      : `{% set query %}${inAddress.join('')}{% endset %}{{ '?' ~ query[1:] if query }}`
  return { endpoint: withMacros(`${blocks.join('')}${segments.join('')}${search}`), query, headers }
}

const DEFAULT_STYLES: Readonly<Record<string, string>> = {
  query: 'form',
  cookie: 'form',
  path: 'simple',
  header: 'simple',
}

const call = (what: string): string => notImported(what).slice(3, -3)
