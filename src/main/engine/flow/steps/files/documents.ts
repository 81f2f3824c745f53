/** Steps that work with HTML and Markdown. */
import { say, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { decodeFile } from '@millrace/jinja/data'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import type { StoredFile } from '../../model/ports.ts'
import { readText, type TextSource } from '../support/read-text.ts'

/** Reads values by CSS selectors. */
export const htmlExtract: StepRunner<'html_extract'> = {
  outside: false,
  async run({ config }, scope) {
    const text = readText(config, scope, decodeHtml)
    scope.showInput(text)
    const { each, fields } = config
    return onField(config, scope, scope.ports.documents.extract(text, { each, fields }, scope.signal))
  },
}

export const markdown: StepRunner<'markdown'> = {
  outside: false,
  async run({ config }, scope) {
    const decode = config.to === 'html' ? ({ content }: StoredFile) => decodeFile(content) : decodeHtml
    const text = readText(config, scope, decode)
    scope.showInput(text)
    return onField(config, scope, scope.ports.documents.convert(text, config.to, scope.signal))
  },
}

/** Decodes HTML with the charset that a byte-order mark, the sender or the page itself names. */
function decodeHtml({ content, contentType }: StoredFile): string {
  const sent = /;\s*charset="?([\w.-]{1,40})/i.exec(contentType)?.[1]
  const start = new TextDecoder('latin1').decode(content.subarray(0, 1_024))
  return decodeFile(
    content,
    // linear: a tag ends at the next bracket
    (sent ?? /<meta[^<>]+charset=["']?([\w.-]{1,40})/i.exec(start)?.[1])?.toLowerCase(),
  )
}

async function onField<T>(source: TextSource, scope: StepScope, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { field } = (error.data ?? {}) as { readonly field?: string | null }
    const text = source.file_id ? 'file_id' : 'text'
    const rest = sentenceOf(error)
    const message = field ? rest : say('"{{field}}" {{rest}}', { field: text, rest })
    throw scope.fail(error.code, message, { field: `config.${field ?? text}`, cause: error })
  }
}
