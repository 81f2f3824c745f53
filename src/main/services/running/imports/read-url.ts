/** Downloads the text at a URL for an import. */
import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import { type AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { decodeFile } from '@millrace/jinja/data'
import type { SendRequest } from '../../../engine/ports.ts'
import { RequestError } from '../../../engine/request/request-error.ts'

const TIMEOUT_MS = 10_000
const MOST_REDIRECTS = 5
const ACCEPT = 'application/json, application/yaml, text/plain, */*;q=0.1'

export function createImportUrlsService(sendRequest: SendRequest) {
  return {
    /** @throws AppError `validation` if the URL is public, can't be read in time, or isn't text */
    async read(url: string): Promise<{ readonly source: string }> {
      const request = { method: 'GET', url: url.trim(), headers: [['accept', ACCEPT] as const], body: null }
      const { status, body } = await sendRequest(request, {
        timeoutMs: TIMEOUT_MS,
        maxRedirects: MOST_REDIRECTS,
        nearbyOnly: true,
        maxBodyBytes: LIMITS.largeBodyBytes,
      }).catch((error: unknown) => {
        throw error instanceof RequestError ? unreadable(sentenceOf(error)) : error
      })
      if (status !== 200) throw unreadable(say('It returned status {{status}} instead of 200', { status }))
      try {
        return { source: decodeFile(body) }
      } catch {
        throw unreadable(
          say('It returned {{count}} bytes that are not UTF-8 or UTF-16 text', { count: body.length }),
        )
      }
    },
  }
}

function unreadable(why: Said): AppError {
  return fieldErrors({ url: [say('cannot be imported. {{why}}', { why })] })
}
