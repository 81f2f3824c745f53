import { inputName, isSecretName, literal, notImported } from './draft.ts'
import { isRecord, textOf, type Plain } from './plain.ts'

/** The values defined in the collection itself, except secrets and those that a script changes. */
export type Variables = ReadonlyMap<string, string>

export function variablesOf(document: Plain, changed: ReadonlySet<string>): Variables {
  const list = Array.isArray(document['variable']) ? document['variable'].filter(isRecord) : []
  return new Map(
    list.flatMap((entry): [string, string][] => {
      const name = textOf(entry['key']) || textOf(entry['id'])
      const value = typeof entry['value'] === 'number' ? String(entry['value']) : textOf(entry['value'])
      const isOpen = entry['disabled'] === true || entry['type'] === 'secret' || isSecretName(name)
      return name === '' || value === '' || isOpen || changed.has(name) ? [] : [[name, value]]
    }),
  )
}

const VARIABLE = /\{\{([^{}]+)\}\}/g

/** Values can contain variables themselves. */
export function filled(text: string, variables: Variables): string {
  let result = text
  for (let depth = 0; depth < MOST_NESTED; depth++) {
    const next = result.replaceAll(VARIABLE, (whole, name: string) => variables.get(name.trim()) ?? whole)
    if (next === result || next.length > MOST_TEXT) break
    result = next
  }
  return result
}

const MOST_NESTED = 5
const MOST_TEXT = 5_242_880

/** Writes a variable in the form that its context requires. */
type Write = (expression: string) => string

const asItIs: Write = (expression) => `{{ ${expression} }}`

/** `{{orderId}}` becomes a form field; nothing else in the string is a template. */
export function toTemplate(
  text: string,
  inputs: Set<string>,
  write: (at: number) => Write = () => asItIs,
): string {
  let at = 0
  return text
    .split(/(\{\{[^{}]+\}\})/)
    .map((part) => {
      const name = /^\{\{([^{}]+)\}\}$/.exec(part)?.[1]?.trim() || undefined
      const start = at
      at += part.length
      if (name === undefined) return literal(part)
      return name.startsWith('$') ? dynamic(name) : write(start)(`input.${inputFor(name, inputs)}`)
    })
    .join('')
}

/**
 * Converts a string that is JSON. In quotes, a value is escaped; elsewhere, the variable's content is inserted as
 * JSON, as in Postman.
 */
export function toJsonTemplate(text: string, inputs: Set<string>): string {
  return toTemplate(text, inputs, (at) =>
    isInQuotes(text, at)
      ? asItIs
      : (expression) =>
          `{{ (${expression} if ${expression} is string else ${expression} | jsonify) | trim }}`,
  )
}

function isInQuotes(text: string, at: number): boolean {
  let quoted = false
  for (let place = 0; place < at; place++) {
    if (quoted && text[place] === '\\') place += 1
    else if (text[place] === '"') quoted = !quoted
  }
  return quoted
}

function inputFor(name: string, inputs: Set<string>): string {
  const input = inputName(name)
  inputs.add(input)
  return input
}

/** Values that Postman generates; most of them are sample data. */
function dynamic(name: string): string {
  const known = DYNAMIC.get(name)
  return known === undefined ? notImported(`the value ${name} that Postman makes up`) : `{{ ${known} }}`
}

const DYNAMIC: ReadonlyMap<string, string> = new Map([
  ['$guid', 'uuid'],
  ['$randomUUID', 'uuid'],
  ['$timestamp', "now('unix')"],
  ['$isoTimestamp', 'now'],
  ['$randomInt', 'range(0, 1001) | random'],
  ['$randomBoolean', '[true, false] | random | jsonify'],
])
