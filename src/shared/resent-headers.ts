/** Headers of a webhook request that make sense when it is sent again: not those of the other connection, and no hidden one. */
export function resentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !NOT_SENT.test(name) && !value.includes('***')),
  )
}

/** What the client writes by itself, what told of another connection, and what was taken off the body already. */
const NOT_SENT =
  /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|accept-language|accept|user-agent|authorization|cookie|origin|referer|priority|pragma|cache-control|forwarded|via|x-forwarded-.*|x-real-ip|cf-.*|cdn-loop|sec-.*)$/i
