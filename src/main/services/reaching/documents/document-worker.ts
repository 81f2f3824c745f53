/** The thread that works with HTML, Markdown and feeds: any of them could be crafted to take forever. */
import { say, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { parentPort } from 'node:worker_threads'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { writeJson } from '@millrace/jinja/data'
import { readFeed } from '../../../engine/feed/read-feed.ts'
import { extractFields } from '../../../engine/html/extract.ts'
import { HtmlError } from '../../../engine/html/html-error.ts'
import { htmlToMarkdown } from '../../../engine/html/html-to-markdown.ts'
import { markdownToHtml } from '../../../engine/html/markdown-to-html.ts'
import type { DocumentReply, DocumentRequest } from './messages.ts'

async function answer(request: DocumentRequest): Promise<DocumentReply> {
  try {
    if (request.kind === 'feed') return { text: writeJson(await readFeed(request.text, request.url)) }
    if (request.kind === 'extract') return { text: writeJson(extractFields(request.text, request)) }
    return { text: request.kind === 'to_html' ? markdownToHtml(request.text) : htmlToMarkdown(request.text) }
  } catch (error) {
    if (error instanceof HtmlError) return { refusal: { said: sentenceOf(error), field: error.field } }
    if (error instanceof AppError) return { refusal: { said: sentenceOf(error), field: null } }
    // The nesting of Markdown and feeds is only limited by the stack.
    if (error instanceof RangeError) return { refusal: { said: say('is nested too deeply'), field: null } }
    throw error
  }
}

parentPort?.on('message', (request: DocumentRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void answer(request).then((reply) => parentPort?.postMessage(reply))
})
