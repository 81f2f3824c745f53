import { say } from '../../../../shared/contract/base/message.ts'
import type { OutgoingRequest } from '../../ports.ts'
import { RequestError } from '../../request/request-error.ts'
import { inputOf, type SigningContext, withHeaders } from './parts.ts'

/**
 * AWS Signature Version 4. Region and service come from the auth's `user_input` or else from the host name, which
 * contains them for most services (`sqs.eu-central-1.amazonaws.com`).
 *
 * @throws RequestError if a part of the key is missing, or the host names no service
 */
export async function signForAws(
  request: OutgoingRequest,
  { auth, clock }: Pick<SigningContext, 'auth' | 'clock'>,
): Promise<OutgoingRequest> {
  const { default: aws4 } = await import('aws4')
  const { host, hostname, pathname, search } = new URL(request.url)
  const service = inputOf(auth, 'service')
  if (auth.username === '' || auth.password === '')
    throw new RequestError(
      'http_error',
      say('The connector auth {{id}} needs an access key ID (username) and a secret access key (password)', {
        id: auth.id,
      }),
      { delivered: false },
    )
  if (service === '' && !/\.amazonaws\.com(?:\.cn)?$/.test(hostname))
    throw new RequestError(
      'http_error',
      say('{{host}} doesn\'t name an AWS service; enter it as "service" in the connector auth', { host }),
      { delivered: false },
    )
  const token = inputOf(auth, 'session_token')
  const signed = aws4.sign(
    {
      host,
      method: request.method,
      path: `${pathname}${search}`,
      headers: {
        ...Object.fromEntries(request.headers.filter(([name]) => /^(?:content-type|x-amz-.*)$/i.test(name))),
        Host: host,
        'X-Amz-Date': amzDate(clock.now()),
      },
      ...(request.body === null ? {} : { body: bytesOf(request.body) }),
      ...(service === '' ? {} : { service }),
      ...(inputOf(auth, 'region') === '' ? {} : { region: inputOf(auth, 'region') }),
    },
    {
      accessKeyId: auth.username,
      secretAccessKey: auth.password,
      ...(token === '' ? {} : { sessionToken: token }),
    },
  )
  const headers = Object.entries(signed.headers ?? {}).filter(([name]) => !OF_CONNECTION.test(name))
  return withHeaders(
    request,
    headers.map(([name, value]) => [name, String(value)]),
  )
}

const OF_CONNECTION = /^(?:host|content-length)$/i

/** `20261128T133000Z` */
function amzDate(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
}

function bytesOf(body: string | Uint8Array): Buffer {
  return typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
