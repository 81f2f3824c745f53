/** Postman's signatures as the `auth_config.signing` of a connector. */
import type { Json } from '../../../shared/contract/base/common.ts'
import { literal } from './draft.ts'
import { isRecord } from './plain.ts'

interface Hawk {
  readonly algorithm: 'sha256' | 'sha1'
  readonly ext: string
  readonly app: string
  readonly dlg: string
}

/** Creates the Hawk header, whose MAC covers the time, nonce, method, path with query, host and port. */
export function hawkSigning({ algorithm, ext, app, dlg }: Hawk): Record<string, Json> {
  const quoted = (name: string, text: string) => (text === '' ? '' : `, ${name}="${literal(inHeader(text))}"`)
  const host = "request.url.split('/')[2]"
  const lines = [
    'hawk.1.header',
    '{{ timestamp }}',
    '{{ nonce }}',
    '{{ request.method }}',
    "{{ request.path }}{{ '?' ~ request.query if request.query }}",
    `{{ ${host}.split(':')[0] | lower }}`,
    `{{ ${host}.split(':')[1] if ':' in ${host} else '443' if request.url.startswith('https:') else '80' }}`,
    '',
    literal(ext.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')),
    ...(app === '' ? [] : [literal(app), literal(dlg)]),
  ]
  return {
    algorithm,
    encoding: 'base64',
    // A template drops the line break at its end.
    message: `${lines.join('\n')}{{ '\\n' }}`,
    headers: {
      Authorization: `Hawk id="{{ auth.username }}", ts="{{ timestamp }}", nonce="{{ nonce }}"${quoted('ext', ext)}, mac="{{ signature }}"${quoted('app', app)}${app === '' ? '' : quoted('dlg', dlg)}`,
    },
  }
}

const inHeader = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')

interface Jwt {
  readonly bits: string
  readonly payload: string
  readonly header: string
  readonly isBase64: boolean
  readonly prefix: string
  /** The query parameter that contains the token; null if it goes into the header. */
  readonly parameter: string | null
}

/** A token that is signed with a shared secret. Null if its parts aren't known before the call, except for the time. */
export function jwtSigning({
  bits,
  payload,
  header,
  isBase64,
  prefix,
  parameter,
}: Jwt): Record<string, Json> | null {
  const marked = (payload.trim() || '{}').replaceAll(/\{\{\s*\$timestamp\s*\}\}/g, TIME)
  const claims = read(marked)
  const more = read(header.trim() || '{}')
  if (claims === null || more === null || `${marked}${header}${prefix}${parameter ?? ''}`.includes('{{'))
    return null
  const head = base64url(JSON.stringify({ ...more, alg: `HS${bits}`, typ: 'JWT' }))
  const text = JSON.stringify(claims)
  const body = text.includes(TIME)
    ? `{{ (${text
        .split(TIME)
        .map((part) => `'${part.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
        .join(' ~ timestamp ~ ')}) | base64_encode(true) }}`
    : base64url(text)
  const message = `${head}.${body}`
  const token = `${message}.{{ signature }}`
  return {
    algorithm: `sha${bits}`,
    encoding: 'base64url',
    ...(isBase64 ? { key_encoding: 'base64' } : {}),
    message,
    ...(parameter === null
      ? { headers: { Authorization: `${literal(prefix)} ${token}` } }
      : { query: { [parameter]: token } }),
  }
}

/** Stands for the time: a number that no claim contains. */
const TIME = '9007199254740881'

const base64url = (text: string) => Buffer.from(text).toString('base64url')

function read(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
