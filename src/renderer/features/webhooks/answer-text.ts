import type { WebhookAnswer } from '../../../shared/contract/webhooks.ts'
import { formatJson, parseJson } from '../../lib/json.ts'
import { diffLines } from '../../lib/line-diff.ts'
import type { DiffLine } from '../../lib/line-diff.ts'

/** The compared parts of two responses: status, the headers set by the flow or its rejection, the body. */
export function diffAnswers(before: WebhookAnswer, after: WebhookAnswer): readonly DiffLine[] {
  return diffLines(answerText(before), answerText(after))
}

function answerText({ status, headers, body }: WebhookAnswer): string {
  const lines = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OF_THE_SERVER.has(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}`)
  return [`HTTP ${status}`, ...lines, '', prettyBody(body)].join('\n')
}

export function prettyBody(body: string | null): string {
  if (body === null) return ''
  try {
    return formatJson(parseJson(body))
  } catch {
    return body
  }
}

/** Headers that belong to the connection, or differ each time. */
const OF_THE_SERVER = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
  'x-request-id',
])
