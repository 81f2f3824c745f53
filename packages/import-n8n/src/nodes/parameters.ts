/** Reads a node's parameters. Simple expressions become templates, all others JavaScript in a code step. */
import { say } from '@millrace/jinja/said'
import { isRecord, textOf } from '../source/plain-json.ts'
import { NotReadable } from '../expression/javascript.ts'
import type { Names } from '../expression/names.ts'
import { plainExpression } from '../expression/plain.ts'
import { isExpression, literally, partsOf } from '../expression/template.ts'
import { refuse } from '../source/untranslatable.ts'
import type { Scripts } from './scripts.ts'

export interface Readers {
  /**
   * A string as a template.
   *
   * @throws Untranslatable, like all of these
   */
  readonly text: (field: string, value: unknown) => string
  /** A value that contains n8n's strings. */
  readonly value: (field: string, value: unknown) => unknown
  /** A value as JavaScript in the node's code step. */
  readonly js: (value: unknown) => string
  /** A string as JavaScript, in which n8n inserts expressions. */
  readonly jsText: (value: unknown) => string
  /** A template that reads a value from the node's code step. */
  readonly calculated: (js: string, field: string) => string
  /** Whether templates can express all of it. */
  readonly isPlain: (value: unknown) => boolean
}

export function createParameterReaders(names: Names, scripts: Scripts): Readers {
  const script = (code: string): string => {
    try {
      return scripts.read(code)
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error
      return refuse(say`contains "${shortened(code)}", and ${error.said}`)
    }
  }
  const calculated = (js: string, field: string) => `{{ ${scripts.add(js, field)} }}`

  /** The template for a string; null if it needs JavaScript. */
  function plainText(text: string): string | null {
    const written = partsOf(text.slice(1)).map((part) => {
      if (!('code' in part)) return literally(part.text)
      const plain = plainExpression(part.code, names)
      return plain === null ? null : `{{ ${plain.text}${plain.isText ? '' : ' | js_text'} }}`
    })
    return written.includes(null) ? null : written.join('')
  }

  function plainValue(text: string): string | null {
    const only = onlyCode(text)
    if (only === null) return plainText(text)
    const plain = plainExpression(only, names)
    return plain === null ? null : `{{ ${plain.text} }}`
  }

  function js(value: unknown): string {
    if (isExpression(value)) {
      const only = onlyCode(value)
      return only === null ? jsText(value) : script(only)
    }
    if (Array.isArray(value)) return `[${value.map(js).join(', ')}]`
    if (isRecord(value)) {
      const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
      return `{ ${entries.map(([key, one]) => `${JSON.stringify(key)}: ${js(one)}`).join(', ')} }`
    }
    return JSON.stringify(value ?? null)
  }

  function jsText(value: unknown): string {
    if (!isExpression(value)) return JSON.stringify(textOf(value))
    const parts = partsOf(value.slice(1)).map((part) =>
      'code' in part ? script(part.code) : JSON.stringify(part.text),
    )
    return `[${parts.join(', ')}].map($text).join('')`
  }

  function value(field: string, given: unknown): unknown {
    if (typeof given === 'string') {
      if (!isExpression(given)) return literally(given)
      return plainValue(given) ?? calculated(js(given), field)
    }
    // n8n omits keys whose values are undefined, as JavaScript does; templates don't.
    if (hasWhole(given)) return calculated(js(given), field)
    if (Array.isArray(given)) return given.map((item, at) => value(`${field}[${at}]`, item))
    if (!isRecord(given)) return given ?? null
    const entries = Object.entries(given).filter(([key]) => key !== '__proto__')
    return Object.fromEntries(entries.map(([key, item]) => [key, value(`${field}.${key}`, item)]))
  }

  return {
    js,
    jsText,
    calculated,
    text(field, value) {
      if (typeof value === 'number' || typeof value === 'boolean') return String(value)
      if (!isExpression(value)) return literally(textOf(value))
      return plainText(value) ?? calculated(jsText(value), field)
    },
    value,
    isPlain(value) {
      return !isExpression(value) || plainValue(value) !== null
    },
  }
}

/** The code of a string that consists of one expression. */
export function onlyCode(text: string): string | null {
  const parts = partsOf(text.slice(1))
  const [only] = parts
  return parts.length === 1 && only !== undefined && 'code' in only ? only.code : null
}

/** Whether it contains a value that is a single expression, which may be undefined. */
function hasWhole(value: unknown): boolean {
  if (isExpression(value)) return onlyCode(value) !== null
  if (Array.isArray(value)) return value.some(hasWhole)
  return isRecord(value) && Object.values(value).some(hasWhole)
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}
