/** The thread that reads and checks imports, one at a time: any could be crafted to take forever. */
import { say, sentenceOf, withSaid } from '../../../../shared/contract/base/message.ts'
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { type Data, decodeFile, writeJson } from '@millrace/jinja/data'
import { readConnectorSource } from '../../reaching/connectors/read-source.ts'
import { readSource } from '../flows/read-source.ts'
import type { ImportSource } from '../../keeping/files/import-source.ts'
import type { ImportReply, ImportRequest } from './messages.ts'

async function answer({ kind, from }: ImportRequest): Promise<ImportReply> {
  try {
    const text = textOf(from)
    const read = kind === 'flow' ? await readSource(text) : readConnectorSource(text)
    // The import was parsed from JSON, so it is data; the compiler can't infer that from an interface.
    return { json: writeJson(withSaid(read) as unknown as Data) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, data, saidFields } = error
    return { refusal: { code, sentence: sentenceOf(error), data, saidFields } }
  }
}

function textOf(from: ImportSource): string {
  if ('text' in from) return from.text
  try {
    return decodeFile(readFileSync(from.path))
  } catch (cause) {
    if (cause instanceof TypeError)
      throw fieldErrors({ file_id: [say("is a file that isn't UTF-8 or UTF-16 text")] })
    throw cause
  }
}

parentPort?.on('message', (request: ImportRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void answer(request).then((reply) => parentPort?.postMessage(reply))
})
