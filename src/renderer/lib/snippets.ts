import { formatCount } from './format.ts'
import { t } from './i18n.ts'

/** A request as a command or program to paste. Values are quoted for their language and can never break out. */
export interface SnippetRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent or null if there is no body. */
  readonly body?: string | null
}

export const SNIPPET_LANGUAGES = {
  curl: 'curl',
  fetch: 'fetch',
  python: 'Python',
  powershell: 'PowerShell',
  wget: 'wget',
  cmd: 'cmd',
} as const
export type SnippetLanguage = keyof typeof SNIPPET_LANGUAGES

export function toSnippet(language: SnippetLanguage, request: SnippetRequest): string {
  return WRITERS[language](sendable(request))
}

/** A `curl` command that sends bytes that aren't text, given as two hexadecimal digits each. */
export function toCurlOfBytes(request: Omit<SnippetRequest, 'body'>, digits: string): string {
  const octal = (digits.match(/[0-9a-f]{2}/gi) ?? []).map(
    (byte) => `\\${Number.parseInt(byte, 16).toString(8).padStart(3, '0')}`,
  )
  const parts = curlParts(sendable(request), shell)
  return joinLines([
    `printf ${shell(octal.join(''))} | ${parts[0] ?? ''}`,
    ...parts.slice(1),
    '--data-binary @-',
  ])
}

/**
 * The request without the characters that no URL or header can contain, which would break out of their line of HTTP.
 */
function sendable({ url, headers, ...rest }: SnippetRequest): SnippetRequest {
  const isHeader = ([name]: readonly [string, string]) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name)
  return {
    ...rest,
    url: url.toWellFormed().replaceAll(/[^\u0021-\u007e]+/g, encodeURIComponent),
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(isHeader)
        .map(([name, value]) => [name, value.toWellFormed().replaceAll(CONTROLS, ' ')]),
    ),
  }
}

// oxlint-disable-next-line no-control-regex -- these are the characters to find
const CONTROLS = /[\u0000-\u0008\u000a-\u001f\u007f]+/g

/** A request whose body wasn't stored completely; a comment before it says what is missing. */
export function toCutCurl(request: SnippetRequest, keptCharacters: number): string {
  const note = t('Incomplete request: only the first {{characters}} characters of its body were kept.', {
    characters: formatCount(keptCharacters),
  })
  return `# ${note}\n${toSnippet('curl', request)}`
}

const WRITERS: { readonly [L in SnippetLanguage]: (request: SnippetRequest) => string } = {
  curl: (request) => joinLines(curlParts(request, shell)),

  fetch: ({ method, url, headers, body }) =>
    [
      `const response = await fetch(${JSON.stringify(url)}, {`,
      `  method: ${JSON.stringify(method)},`,
      ...(Object.keys(headers).length > 0
        ? [
            '  headers: {',
            ...Object.entries(headers).map(
              ([name, value]) => `    ${JSON.stringify(name)}: ${fetchHeader(value)},`,
            ),
            '  },',
          ]
        : []),
      ...(hasBody(body) ? [`  body: ${JSON.stringify(body)},`] : []),
      '})',
      'console.log(response.status, await response.text())',
    ].join('\n'),

  python: ({ method, url, headers, body }) =>
    [
      'import urllib.error',
      'import urllib.request',
      '',
      'request = urllib.request.Request(',
      `    ${python(url)},`,
      `    method=${python(method)},`,
      ...(Object.keys(headers).length > 0
        ? [
            '    headers={',
            ...Object.entries(headers).map(
              ([name, value]) => `        ${python(name)}: ${pythonHeader(value)},`,
            ),
            '    },',
          ]
        : []),
      ...(hasBody(body) ? [`    data=${python(body)}.encode("utf-8"),`] : []),
      ')',
      'try:',
      '    response = urllib.request.urlopen(request)',
      'except urllib.error.HTTPError as error:',
      '    response = error',
      'print(response.status, response.read().decode("utf-8"))',
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
        ...(hasBody(body) ? [`-Body ${powershellBody(body)}`] : []),
      ].join(' '),
    ].join('\n')
  },

  wget: ({ method, url, headers, body }) =>
    joinLines([
      // Without a locale, wget repeats a refused request with the URL in another encoding unless told not to.
      `wget -qO- --no-iri --content-on-error --method=${method}`,
      ...Object.entries(headers).map(([name, value]) => `--header=${shell(`${name}: ${value}`)}`),
      ...(hasBody(body) ? [`--body-data=${shell(body)}`] : []),
      shell(url),
    ]),

  cmd: (request) => curlParts(request, cmd).join(' ^\n  '),
}

function curlParts(
  { method, url, headers, body }: SnippetRequest,
  quote: (text: string) => string,
): string[] {
  return [
    `curl ${curlMethod(method, hasBody(body))}${/[[\]{}]/.test(url) ? '-g ' : ''}${quote(url)}`,
    ...curlHeaders(headers, hasBody(body), quote),
    ...(hasBody(body) ? [`--data-raw ${quote(body)}`] : []),
  ]
}

/** With `-X HEAD` curl waits for a body that never comes. */
function curlMethod(method: string, withBody: boolean): string {
  return method === 'HEAD' && !withBody ? '-I ' : `-X ${method} `
}

/** curl needs `;` for a header without a value, and adds its own Content-Type unless it is removed. */
function curlHeaders(
  headers: SnippetRequest['headers'],
  withBody: boolean,
  quote: (text: string) => string,
): string[] {
  const entries = Object.entries(headers).filter(
    ([name]) => !/^(?:content-length|accept-encoding)$/i.test(name),
  )
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  return [
    ...entries.map(([name, value]) => `-H ${quote(value.trim() === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(withBody && !names.has('content-type') ? [`-H ${quote('Content-Type:')}`] : []),
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

/** Single quotes take everything literally in a POSIX shell; a quote itself leaves and reenters them. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** JSON's escapes are all valid in Python, too. */
function python(text: string): string {
  return JSON.stringify(text)
}

/**
 * Both would send characters up to U+00FF as one byte and reject the others; this way they send UTF-8, as curl does.
 */
function fetchHeader(value: string): string {
  const text = JSON.stringify(value)
  return isAscii(value) ? text : `String.fromCharCode(...new TextEncoder().encode(${text}))`
}

function pythonHeader(value: string): string {
  return isAscii(value) ? python(value) : `${python(value)}.encode("utf-8")`
}

// oxlint-disable-next-line no-control-regex -- ASCII begins with them
const isAscii = (text: string) => /^[\u0000-\u007f]*$/.test(text)

/** Windows PowerShell sends strings as Latin-1. */
function powershellBody(body: string): string {
  const text = powershell(body)
  return isAscii(body) ? text : `([Text.Encoding]::UTF8.GetBytes(${text}))`
}

/**
 * An argument for a program started by `cmd.exe`: quoted for the program, with a `^` before each character that is
 * special to `cmd.exe`, the quotes included, so that `%`, `&` and `!` aren't interpreted inside them.
 */
function cmd(text: string): string {
  const quoted = `"${text.replaceAll(/\\+(?:("|$)|)|"/g, forProgram)}"`
  return quoted.replaceAll(/[^\w \n\r\t:=+~'/.,?*;\\-]/gu, '^$&').replaceAll(/\r?\n/g, '^\n\n')
}

/** A backslash stands for itself unless a quote follows. */
function forProgram(whole: string, end?: string): string {
  if (whole === '"') return '\\"'
  if (end === undefined) return whole
  const run = whole.slice(0, whole.length - end.length)
  return run + run + (end && '\\"')
}

function powershell(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, (quote) => quote + quote)}'`
}
