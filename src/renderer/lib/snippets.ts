/** A request as text to paste into a shell or a program. Values are quoted for their language and can never break out. */
export interface SnippetRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent or null: no body. */
  readonly body?: string | null
}

export const SNIPPET_LANGUAGES = {
  curl: 'curl',
  fetch: 'fetch',
  python: 'Python',
  powershell: 'PowerShell',
  wget: 'wget',
} as const
export type SnippetLanguage = keyof typeof SNIPPET_LANGUAGES

export function toSnippet(language: SnippetLanguage, request: SnippetRequest): string {
  return WRITERS[language](request)
}

const WRITERS: { readonly [L in SnippetLanguage]: (request: SnippetRequest) => string } = {
  curl: ({ method, url, headers, body }) =>
    joinLines([
      `curl ${curlMethod(method, hasBody(body))}${/[[\]{}]/.test(url) ? '-g ' : ''}${shell(url)}`,
      ...curlHeaders(headers, hasBody(body)),
      ...(hasBody(body) ? [`--data-raw ${shell(body)}`] : []),
    ]),

  fetch: ({ method, url, headers, body }) =>
    [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      `  method: ${JSON.stringify(method)},`,
      ...(Object.keys(headers).length > 0 ? [`  headers: ${indent(JSON.stringify(headers, null, 2))},`] : []),
      ...(hasBody(body) ? [`  body: ${JSON.stringify(body)},`] : []),
      '})',
      'console.log(response.status, await response.text())',
    ].join('\n'),

  python: ({ method, url, headers, body }) =>
    [
      'import urllib.request',
      '',
      'request = urllib.request.Request(',
      `    ${python(url)},`,
      `    method=${python(method)},`,
      ...(Object.keys(headers).length > 0
        ? [
            '    headers={',
            ...Object.entries(headers).map(([name, value]) => `        ${python(name)}: ${python(value)},`),
            '    },',
          ]
        : []),
      ...(hasBody(body) ? [`    data=${python(body)}.encode("utf-8"),`] : []),
      ')',
      'with urllib.request.urlopen(request) as response:',
      '    print(response.status, response.read().decode("utf-8"))',
    ].join('\n'),

  powershell: ({ method, url, headers, body }) => {
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type')
    return [
      ...(others.length > 0
        ? [
            '$headers = @{',
            ...others.map(([name, value]) => `  ${powershell(name)} = ${powershell(value)}`),
            '}',
          ]
        : []),
      [
        `Invoke-RestMethod -Method ${method} -Uri ${powershell(url)}`,
        ...(others.length > 0 ? ['-Headers $headers'] : []),
        ...(type === undefined ? [] : [`-ContentType ${powershell(type)}`]),
        ...(hasBody(body) ? [`-Body ${powershell(body)}`] : []),
      ].join(' '),
    ].join('\n')
  },

  wget: ({ method, url, headers, body }) =>
    joinLines([
      `wget -qO- --method=${method}`,
      ...Object.entries(headers).map(([name, value]) => `--header=${shell(`${name}: ${value}`)}`),
      ...(hasBody(body) ? [`--body-data=${shell(body)}`] : []),
      shell(url),
    ]),
}

/** With `-X HEAD` curl waits for a body that never comes. */
function curlMethod(method: string, withBody: boolean): string {
  return method === 'HEAD' && !withBody ? '-I ' : `-X ${method} `
}

/** curl writes a header without a value with `;`, and has a Content-Type of its own unless it is taken away. */
function curlHeaders(headers: SnippetRequest['headers'], withBody: boolean): string[] {
  const entries = Object.entries(headers).filter(
    ([name]) => !/^(?:content-length|accept-encoding)$/i.test(name),
  )
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  return [
    ...entries.map(([name, value]) => `-H ${shell(value.trim() === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(withBody && !names.has('content-type') ? ["-H 'Content-Type:'"] : []),
    ...(Object.keys(headers).some((name) => name.toLowerCase() === 'accept-encoding')
      ? ['--compressed']
      : []),
  ]
}

function hasBody(body: string | null | undefined): body is string {
  return body !== undefined && body !== null && body !== ''
}

function joinLines(parts: readonly string[]): string {
  return parts.join(' \\\n  ')
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** Single quotes take everything literally in a POSIX shell; a quote itself leaves and enters them again. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** JSON's escapes are all Python's as well. */
function python(text: string): string {
  return JSON.stringify(text)
}

function powershell(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, (quote) => quote + quote)}'`
}
