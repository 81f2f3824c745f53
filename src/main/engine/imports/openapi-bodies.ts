import { say, type Said } from '../../../shared/contract/base/message.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import { notImported } from './draft.ts'
import { childOf, textOf, type Plain } from './plain.ts'
import { type Inputs, isRequired } from './openapi-inputs.ts'
import type { Kind, Properties, Schemas } from './openapi-schemas.ts'
import { asEntry, asPairs, isThere, withMacros, type Written } from './openapi-styles.ts'

export interface BodyParts {
  readonly body: Json
  readonly headers: Record<string, string>
}

export interface BodyOf {
  readonly operation: Plain
  readonly schemas: Schemas
  readonly inputs: Inputs
  readonly leave: (item: string, reason: Said) => void
}

/** The body of an operation as the template of an action, and the form fields that fill it. */
export function bodyOf({ operation, schemas, inputs, leave }: BodyOf): BodyParts {
  const { references, kindOf, propertiesOf } = schemas
  const missing = references.unknown(operation['requestBody'])
  if (missing !== null) {
    leave('the body', say('{{missing}} is not in this document', { missing }))
    return { body: notImported(`the body ${missing}, which this document does not have`), headers: {} }
  }
  const request = references.resolve(operation['requestBody'])
  const content = childOf(request, 'content')
  const type = chooseType(Object.keys(content))
  if (type === null) return { body: null, headers: {} }
  const media = references.resolve(content[type])
  const schema = references.resolve(media['schema'])
  const outside = references.unknown(media['schema'])
  if (outside !== null)
    leave('the body', say('{{outside}} is not in this document; the whole body is one field', { outside }))
  const kind = kindOf(schema)
  const form = formOf(type, kind)
  const whole = (control: Kind | 'textarea'): string =>
    inputs.add('body', 'body', {
      schema: {},
      required: isRequired(request),
      description: request['description'],
      control: WHOLE[control] ?? { type: 'nested_object' },
    })
  const properties = propertiesOf(schema)
  const field = (
    name: string,
    { schema: own, required }: Properties extends ReadonlyMap<string, infer P> ? P : never,
  ) => inputs.add('body', name, { schema: own, required })
  switch (form) {
    case 'json': {
      const headers: Record<string, string> = WILDCARD.test(type)
        ? { 'Content-Type': 'application/json' }
        : /^application\/json$/i.test(type)
          ? {}
          : { 'Content-Type': type }
      if (properties.size > 0)
        return {
          body: Object.fromEntries(
            [...properties].map(([name, property]) => [name, `{{ ${field(name, property)} }}`]),
          ),
          headers,
        }
      const read = whole(kind === 'text' ? 'textarea' : 'object')
      return {
        body: kind === 'text' ? `{{ ${read} | jsonify }}` : `{{ ${read} }}`,
        headers: { 'Content-Type': 'application/json', ...headers },
      }
    }
    case 'urlencoded': {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      if (properties.size === 0) return { body: `{{ ${whole('object')} }}`, headers }
      return { body: urlencoded(properties, media, { schemas, field, leave }), headers }
    }
    case 'multipart': {
      const headers = { 'Content-Type': 'multipart/form-data' }
      if (properties.size === 0) return { body: `{{ ${whole('object')} }}`, headers }
      return { body: multipart(properties, media, { schemas, field }), headers }
    }
    case 'file': {
      const read = whole('file')
      const file = `{'file_id': ${read}} if ${read} is string else ${read}`
      const named = /[*]/.test(type)
        ? `{{ ${read}.content_type | default('application/octet-stream') }}`
        : type
      return { body: `{{ ${file} }}`, headers: { 'Content-Type': named } }
    }
    case 'text': {
      const named = /[*]/.test(type) ? 'text/plain' : type
      return { body: `{{ ${whole('textarea')} }}`, headers: { 'Content-Type': named } }
    }
    default: {
      const what = `the body of the type ${type.slice(0, 100)}, which an action cannot write`
      leave('the body', say("has the type {{type}}, which actions can't write", { type: type.slice(0, 100) }))
      return { body: notImported(what), headers: { 'Content-Type': type } }
    }
  }
}

const WHOLE: Readonly<Record<string, { type: string; placeholder?: string }>> = {
  textarea: { type: 'textarea' },
  file: { type: 'text', placeholder: 'A file: {{ web1.file }}, or its file_id' },
}

const WILDCARD = /^(?:\*|application)\/\*/

/** The media type that is most specific about the content. */
function chooseType(types: readonly string[]): string | null {
  const ranked = [
    /^application\/json\b/i,
    /^application\/(?:[\w.+-]*\+)?json\b/i,
    /^application\/x-www-form-urlencoded\b/i,
    /^multipart\/form-data\b/i,
    /^(?:\*|application)\/\*/,
    /^text\//i,
  ]
  for (const wanted of ranked) {
    const found = types.find((type) => wanted.test(type))
    if (found !== undefined) return found
  }
  return types[0] ?? null
}

function formOf(type: string, kind: Kind): 'json' | 'urlencoded' | 'multipart' | 'file' | 'text' | 'other' {
  if (/^application\/(?:[\w.+-]*\+)?json\b/i.test(type)) return 'json'
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return 'urlencoded'
  if (/^multipart\/form-data\b/i.test(type)) return 'multipart'
  if (/^multipart\//i.test(type)) return 'other'
  if (WILDCARD.test(type)) return kind === 'file' ? 'file' : kind === 'text' ? 'text' : 'json'
  const isText = /^text\/|[/+](?:xml|yaml|x-yaml|csv|graphql|sql|javascript|x-ndjson|jsonl)\b/i.test(type)
  return isText && kind !== 'file' ? 'text' : 'file'
}

interface FieldsOf {
  readonly schemas: Schemas
  readonly field: (name: string, property: { schema: Plain; required: boolean }) => string
}

/** An object if that suffices, or else a template for the form string. */
function urlencoded(
  properties: Properties,
  media: Plain,
  { schemas, field, leave }: FieldsOf & Pick<BodyOf, 'leave'>,
): Json {
  const { references, kindOf } = schemas
  const encodings = childOf(media, 'encoding')
  const parts = [...properties].map(([name, property]) => {
    const encoding = childOf(encodings, name)
    const hasStyle = ['style', 'explode', 'allowReserved'].some((key) => encoding[key] !== undefined)
    const kind = kindOf(property.schema)
    const style = textOf(encoding['style']) || 'form'
    const written: Written = {
      name,
      read: field(name, property),
      kind,
      style,
      explode: typeof encoding['explode'] === 'boolean' ? encoding['explode'] : style === 'form',
      allowReserved: encoding['allowReserved'] === true,
    }
    if (style === 'deepObject' && kind === 'array')
      leave(
        `body ${name}`,
        say(
          "is a list in the style deepObject, which OpenAPI doesn't define for lists: it is sent as name[0]=…",
        ),
      )
    // Without a style, an object is sent as JSON.
    const entry = hasStyle
      ? asEntry(written, kindOf(references.resolve(property.schema)['items']))
      : `{{ ${written.read} }}`
    return { written: { ...written, kind: hasStyle || kind !== 'object' ? kind : ('any' as const) }, entry }
  })
  if (parts.every(({ entry }) => entry !== null))
    return Object.fromEntries(parts.map(({ written, entry }) => [written.name, entry ?? '']))
  const pairs = parts.map(({ written }) => asPairs(written)).join('')
  return withMacros(`{% set form %}${pairs}{% endset %}{{ form[1:] }}`)
}

function multipart(properties: Properties, media: Plain, { schemas, field }: FieldsOf): Json {
  const { kindOf } = schemas
  const encodings = childOf(media, 'encoding')
  return Object.fromEntries(
    [...properties].map(([name, property]) => {
      const kind = kindOf(property.schema)
      const read = field(name, property)
      return [name, partOf(read, kind, textOf(childOf(encodings, name)['contentType']))]
    }),
  )
}

/** One part; its media type is the document's, JSON for an object, or the file's own. */
function partOf(read: string, kind: Kind, contentType: string): string {
  const type = /^[\w.+-]+\/[\w.+-]+(?:;[^,'"{}\\]*)?$/.test(contentType) ? contentType : ''
  if (kind === 'file') {
    const named = type === '' ? '' : `, content_type='${type}'`
    return `{{ dict({'file_id': ${read}} if ${read} is string else ${read}${named}) if ${isThere(read)} }}`
  }
  const isJson = type === '' ? kind === 'object' : /\bjson\b/i.test(type)
  const named = type || (isJson ? 'application/json' : '')
  if (named === '') return `{{ ${read} }}`
  const content = isJson ? `${read} | jsonify` : read
  return `{{ {'content': ${content}, 'content_type': '${named}'} if ${isThere(read)} }}`
}
