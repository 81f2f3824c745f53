/** Results in MCP's format: structured, and with the same content as text. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { JsonCodec } from '../../services/kit/ports.ts'
import { ToolFailure } from './tool.ts'

/** @param most maximum number of characters */
export function toResult(
  json: JsonCodec,
  value: object,
  most: number = LIMITS.mcpResultCharacters,
): CallToolResult {
  const whole = json.stringify(value)
  const text = whole.length <= most ? whole : shorten(whole, most)
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  }
}

/** Null if the caller must not see the error. */
export function toFailure(json: JsonCodec, error: unknown): CallToolResult | null {
  if (error instanceof ToolFailure) return withSentence(json, error.message, error.result)
  if (!(error instanceof AppError)) return null
  const { code, message, data } = error
  return withSentence(json, message, { error: { code, message, data } })
}

function withSentence(json: JsonCodec, message: string, value: object): CallToolResult {
  const { structuredContent } = toResult(json, value)
  return {
    isError: true,
    content: [
      { type: 'text', text: message },
      { type: 'text', text: JSON.stringify(structuredContent) },
    ],
    structuredContent,
  }
}

/** Characters of a string and items of a list, from generous to strict; the first that fits is used. */
const CUTS = [
  { characters: 16_000, items: 200 },
  { characters: 4_000, items: 50 },
  { characters: 1_000, items: 20 },
  { characters: 200, items: 5 },
  { characters: 80, items: 2 },
] as const

const MOST_PLACES = 20

/** A value that was cut, with the number of its characters, items or keys that are shown. */
interface Place {
  readonly path: string
  readonly shown: number
  readonly of: number
}

/** Cuts long strings and lists but keeps the structure, and says in the result where something was cut. */
function shorten(whole: string, most: number): string {
  const value = JSON.parse(whole) as Record<string, unknown>
  for (const cut of CUTS) {
    const places: Place[] = []
    const shown = cutValue(value, { ...cut, places, path: '' }) as object
    const shortened = {
      characters: whole.length,
      message: `${places.length} values are cut: strings end with …, of lists the first items are shown. Ask for less, or read single pages.`,
      cut: places.slice(0, MOST_PLACES),
      ...(places.length > MOST_PLACES && { more_cut: places.length - MOST_PLACES }),
    }
    const text = JSON.stringify({ ...shown, shortened })
    if (text.length <= most) return text
  }
  const message = `The result has ${whole.length} characters, too many to show. Ask for less, or allow more.`
  return JSON.stringify({ shortened: { characters: whole.length, message, cut: [] } })
}

type Cutting = (typeof CUTS)[number] & { readonly places: Place[]; readonly path: string }

function cutValue(value: unknown, cutting: Cutting): unknown {
  const { characters, items, places, path } = cutting
  const note = (shown: number, of: number) => {
    if (shown < of) places.push({ path, shown, of })
  }
  const inside = (item: unknown, key: string) => cutValue(item, { ...cutting, path: `${path}${key}` })
  if (typeof value === 'string') {
    note(Math.min(characters, value.length), value.length)
    return value.length > characters ? `${value.slice(0, characters)}…` : value
  }
  if (Array.isArray(value)) {
    note(Math.min(items, value.length), value.length)
    return value.slice(0, items).map((item, index) => inside(item, `[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const kept = entries.slice(0, items * 5)
  note(kept.length, entries.length)
  return Object.fromEntries(kept.map(([key, item]) => [key, inside(item, path === '' ? key : `.${key}`)]))
}
