import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  isDictionary,
  writeJson,
} from '@millrace/jinja/data'
import type { HeaderLine } from '../ports.ts'
import { headerValue } from './headers.ts'
import { writeForm } from './query-string.ts'

/** A request body before serialization. */
export type RequestBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: Data }
  | { readonly kind: 'form'; readonly fields: Dictionary }
  /** `isXml` marks text in which inserted values are escaped, whatever the Content-Type says. */
  | { readonly kind: 'raw'; readonly content: string | Uint8Array; readonly isXml?: boolean }

/** Interprets an action's `body` together with its headers. A string is sent as it is, an object as a form or JSON. */
export function bodyOf(value: Data | undefined, headers: readonly HeaderLine[]): RequestBody {
  if (value === undefined) return { kind: 'none' }
  if (typeof value === 'string') return { kind: 'raw', content: value }
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headerValue(headers, 'content-type') ?? '')
  return isForm && isDictionary(value) ? { kind: 'form', fields: value } : { kind: 'json', value }
}

/** Whether the body of a request is XML, so that values inserted into it are escaped. */
export function isXmlBody(body: RequestBody, headers: readonly HeaderLine[]): boolean {
  if (body.kind === 'raw' && body.isXml === true) return true
  return XML_TYPE.test((headerValue(headers, 'content-type') ?? '').trim())
}

export const XML_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/i

/** The action's body with the keys of pagination merged over its own; null if it isn't an object. */
export function mergeBody(action: RequestBody, keys: Dictionary): RequestBody | null {
  if (action.kind === 'none') return { kind: 'json', value: keys }
  if (action.kind === 'form') return { kind: 'form', fields: overlaid(action.fields, keys) }
  if (action.kind === 'json' && isDictionary(action.value)) {
    return { kind: 'json', value: overlaid(action.value, keys) }
  }
  return entriesOf(keys).length === 0 ? action : null
}

export function writeBody(body: RequestBody): string | Uint8Array | null {
  switch (body.kind) {
    case 'none':
      return null
    case 'json':
      return writeJson(body.value)
    case 'form':
      return writeForm(body.fields)
    default:
      return body.content
  }
}

/** The matching `Content-Type` if the action names none. */
export function contentTypeOf({ kind }: RequestBody): string | null {
  if (kind === 'json') return 'application/json'
  return kind === 'form' ? 'application/x-www-form-urlencoded' : null
}

/** The body as it is shown in an event. */
export function shownBody(body: RequestBody): Data {
  switch (body.kind) {
    case 'none':
      return null
    case 'json':
      return body.value
    case 'form':
      return body.fields
    default:
      return typeof body.content === 'string' ? body.content : `(${body.content.byteLength} bytes)`
  }
}

function overlaid(below: Dictionary, above: Dictionary): Dictionary {
  return dictionaryOf([...entriesOf(below), ...entriesOf(above)])
}
