import { trimEnd } from '../../../shared/trim.ts'
import { inputName, literal, titleCase } from './draft.ts'
import { childOf, isRecord, textOf, type Plain } from './plain.ts'
import type { Json } from '../../../shared/contract/base/common.ts'

export interface Server {
  /** A template without a trailing slash. */
  readonly address: string
  /** Fields of the auth that its templates read. */
  readonly fields: readonly Record<string, Json>[]
}

/** The first of a list of servers; null if the list is empty. */
export function serverOf(list: unknown): Server | null {
  const server = Array.isArray(list) ? list.find(isRecord) : undefined
  if (server === undefined) return null
  const variables = childOf(server, 'variables')
  const fields: Record<string, Json>[] = []
  const address = textOf(server['url'])
    .trim()
    .split(/(\{[^{}]+\})/)
    .map((part) => {
      if (!/^\{.+\}$/.test(part)) return literal(part)
      const name = part.slice(1, -1)
      const initial = initialOf(variables, name)
      if (initial !== '') return literal(initial)
      const input = inputName(name)
      fields.push({ name: input, label: titleCase(name), type: 'text', required: true })
      return `{{ auth.user_input.${input} }}`
    })
    .join('')
  return { address: trimEnd(address, '/'), fields }
}

/** The defaults used for variables, for which another installation may have other values. */
export function chosenVariables(list: unknown): string[] {
  const server = Array.isArray(list) ? list.find(isRecord) : undefined
  const variables: Plain = server === undefined ? {} : childOf(server, 'variables')
  return Object.keys(variables).flatMap((name) => {
    const initial = initialOf(variables, name)
    return initial === '' ? [] : [`${name} = ${initial}`]
  })
}

/** `https://api.example.com`, even if part of it is a field of the auth; null if the URL isn't absolute. */
export function originOf(address: string): string | null {
  return /^https?:\/\/(?:[^/?#{]|\{\{[^{}]*\}\})+/i.exec(address)?.[0] ?? null
}

function initialOf(variables: Plain, name: string): string {
  const initial = childOf(variables, name)['default']
  return typeof initial === 'number' ? String(initial) : textOf(initial)
}
