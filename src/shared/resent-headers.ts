/**
 * Headers of a webhook request that make sense when it is sent again: without those of the original connection, and
 * without redacted ones.
 */
export function resentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !NOT_SENT.test(name) && !value.includes('***')),
  )
}

/** Headers that the client sets itself, that describe another connection, or that were already undone for the body. */
const NOT_SENT =
  /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|accept-language|accept|user-agent|authorization|cookie|origin|referer|priority|pragma|cache-control|forwarded|via|x-forwarded-.*|x-real-ip|cf-.*|cdn-loop|sec-.*)$/i
