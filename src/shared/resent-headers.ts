/**
 * The headers with which a webhook request is sent again: without redacted ones and those of the original connection.
 */
export function resentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !NOT_SENT.test(name) && !value.includes('***')),
  )
}

/**
 * Headers that the client sets itself, that describe another connection, or that no longer apply to the decoded body.
 */
const NOT_SENT =
  /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|accept-language|accept|user-agent|authorization|cookie|origin|referer|priority|pragma|cache-control|forwarded|via|x-forwarded-.*|x-real-ip|cf-.*|cdn-loop|sec-.*)$/i
