/** The thread that parses emails: any of them could be crafted to take forever. */
import { quoted, say, type Said } from '../../../../shared/contract/base/message.ts'
import { parentPort } from 'node:worker_threads'
import PostalMime from 'postal-mime'
import type { MailReply } from './parse-mail.ts'

async function parse(source: Uint8Array): Promise<MailReply> {
  const problem = countProblem(source)
  if (problem !== null) return { email: null, problem }
  try {
    const limits = { maxNestingDepth: 50, maxHeadersSize: 524_288, maxRfc822NestingDepth: 3 }
    const { from, to, cc, replyTo, messageId, subject, date, headers, ...rest } = await PostalMime.parse(
      source,
      limits,
    )
    const { text = '', html = '', attachments } = rest
    const short = { text: text.slice(0, LONGEST_TEXT), html: html.slice(0, LONGEST_TEXT) }
    const kept = attachments.slice(0, MOST_FILES + 1)
    const fields = { from, to, cc, replyTo, messageId, subject, date, headers }
    return { email: { ...fields, ...short, attachments: kept }, problem: null }
  } catch (error) {
    return { email: null, problem: quoted(shortLine(error instanceof Error ? error.message : String(error))) }
  }
}

const shortLine = (text: string) => text.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 200)

/** Limits the number of lines, and of lines that can begin a part, because they cost far more than their bytes. */
function countProblem(source: Uint8Array): Said | null {
  let lines = 0
  let parts = 0
  for (let at = 0; at !== -1 && at < source.length;) {
    lines++
    if (source[at] === DASH && source[at + 1] === DASH) parts++
    const end = source.indexOf(LINE_FEED, at)
    at = end === -1 ? -1 : end + 1
  }
  if (lines > MOST_LINES) return say('it has more than 600,000 lines')
  return parts > MOST_PARTS ? say('it has more than 5,000 parts') : null
}

parentPort?.on('message', (source: Uint8Array) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void parse(source).then((reply) => parentPort?.postMessage(reply))
})

const LINE_FEED = 10
const DASH = 45
/** An attachment of 25 MiB has 450,000 lines. */
const MOST_LINES = 600_000
const MOST_PARTS = 5_000
const LONGEST_TEXT = 1_048_576
const MOST_FILES = 100
