/** Images of connectors: fetched once, when the connector is saved, so that displaying one makes no request. */
import { say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { SaveWarning } from '../../../../shared/contract/base/save-warnings.ts'
import { imageTypeOf, startOf } from '../../../engine/form/file-kinds.ts'
import type { SendRequest } from '../../../engine/ports.ts'
import type { ConnectorImage } from '../../../store/index.ts'

/** Enough for an icon. */
const MOST_BYTES = 262_144
const TIMEOUT_MS = 10_000
const MOST_REDIRECTS = 5

/** Skips a byte-order mark, declarations and comments, all optional, before the root. */
function isSvg(start: string): boolean {
  const skipped = /ï»¿|\s+|<\?xml[^>]*>|<!DOCTYPE[^>]*>|<!--[^]*?-->/y
  let at = 0
  while (skipped.test(start)) at = skipped.lastIndex
  return /^<svg[\s>]/.test(start.slice(at))
}

/** The image at the URL, or the reason why it can't be shown. */
export async function fetchImage(
  sendRequest: SendRequest,
  url: string,
): Promise<{ readonly image: ConnectorImage } | { readonly warning: SaveWarning }> {
  try {
    const request = { method: 'GET', url, headers: [['accept', 'image/*'] as const], body: null }
    const response = await sendRequest(request, { timeoutMs: TIMEOUT_MS, maxRedirects: MOST_REDIRECTS })
    if (response.status !== 200) return warn(`${url} returned status ${response.status}`)
    const { body } = response
    if (body.length > MOST_BYTES)
      return warn(`${url} has ${body.length} bytes; the limit for an image is ${MOST_BYTES}`)
    // The server's content type is ignored.
    const contentType = imageTypeOf(body) ?? (isSvg(startOf(body)) ? 'image/svg+xml' : null)
    if (contentType === null)
      return warn(`${url} isn't an image of a supported type (PNG, JPEG, GIF, WebP or SVG)`)
    return { image: { contentType, bytes: body } }
  } catch (error) {
    return warn(error instanceof Error ? error.message : String(error))
  }
}

function warn(why: string): { readonly warning: SaveWarning } {
  const message = `The image isn't shown: ${why}. Correct "image_url", or save it again once it can be fetched`
  return {
    warning: {
      severity: 'warning',
      code: 'image_not_fetched',
      message,
      field: 'image_url',
      line: null,
      column: null,
    },
  }
}

export function noImage(id: string): AppError {
  return new AppError('not_found', say('The connector "{{id}}" has no image', { id: id.slice(0, 60) }))
}
