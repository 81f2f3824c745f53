import { pathOf } from './paths.ts'
import type { Gate } from './gate.ts'

/** `/v1/flows/` means `/v1/flows`. The webhook comes before this: its address may not be altered in any way. */
export const trimSlash: Gate = (request) => {
  const { url = '' } = request
  const path = pathOf(url)
  if (path.length > 1 && path.endsWith('/')) request.url = path.slice(0, -1) + url.slice(path.length)
}
