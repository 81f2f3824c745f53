/** Results in the form of MCP: structured, and the same as text. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import type { JsonCodec } from '../../services/kit/ports.ts'
import { ToolFailure } from './tool.ts'

export function toResult(json: JsonCodec, value: object): CallToolResult {
  const whole = json.stringify(value)
  const text = whole.length <= LIMITS.mcpResultCharacters ? whole : shorten(whole)
  return {
    content: [{ type: 'text', text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
  }
}

/** Null if the caller must not see it. */
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

/** Characters of a string and items of a list, from generous to strict: the first that fits is used. */
const CUTS = [
  { characters: 16_000, items: 200 },
  { characters: 4_000, items: 50 },
  { characters: 1_000, items: 20 },
  { characters: 200, items: 5 },
  { characters: 80, items: 2 },
] as const

/** Keeps the shape: long strings and lists are cut, and the result says so. */
function shorten(whole: string): string {
  const value = JSON.parse(whole) as Record<string, unknown>
  const note = `Shortened from ${whole.length} characters: long strings end with …, and of long lists the first items are shown. Ask for less, or read single pages.`
  for (const cut of CUTS) {
    const text = JSON.stringify({ ...(cutValue(value, cut) as object), shortened: note })
    if (text.length <= LIMITS.mcpResultCharacters) return text
  }
  return JSON.stringify({ shortened: `The result has ${whole.length} characters, too many to show` })
}

function cutValue(value: unknown, cut: (typeof CUTS)[number]): unknown {
  if (typeof value === 'string')
    return value.length > cut.characters ? `${value.slice(0, cut.characters)}…` : value
  if (Array.isArray(value)) return value.slice(0, cut.items).map((item) => cutValue(item, cut))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).slice(0, cut.items * 5)
  return Object.fromEntries(entries.map(([key, item]) => [key, cutValue(item, cut)]))
}
