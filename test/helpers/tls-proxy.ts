/** A real proxy with TLS in front of a program, like Caddy and nginx, with its own certificate. */
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

export const PROXY_HOST = 'box.example.com'

export interface TlsProxy {
  /** `https://box.example.com:…` */
  readonly url: string
  /** Where it forwards requests to; it can change. */
  target: number
  close(): Promise<void>
}

/** Keeps the Host, reports TLS, and appends the caller to the sent X-Forwarded-For. */
export async function startTlsProxy(): Promise<TlsProxy> {
  const proxy = { target: 0 }
  const server = createServer({ key: PROXY_KEY, cert: PROXY_CERTIFICATE }, (incoming, outgoing) => {
    const { method, url, headers, socket } = incoming
    const before = headers['x-forwarded-for']
    const passed = request(
      {
        host: '127.0.0.1',
        port: proxy.target,
        method,
        path: url,
        headers: {
          ...headers,
          'x-forwarded-for': [before, socket.remoteAddress].flat().filter(Boolean).join(', '),
          'x-forwarded-proto': 'https',
        },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
        answer.once('close', () => {
          if (!answer.complete) outgoing.destroy()
        })
      },
    )
    passed.once('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()))
    outgoing.once('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(proxy, {
    url: `https://${PROXY_HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

/** Self-signed, only for tests: "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500". */
export const PROXY_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLVWw+QFNHXeYrrLf
wziiL+rNZedsZfyNOnC4kQYmE7yhRANCAASRnGxuTCbGe8gm/DKQeGcvnSSXX9OW
WYbVMd9IYra7nYaT7mwJNEH9aSuSYiHOkA3JAtsx4PM5xJKZAZcquwv7
-----END PRIVATE KEY-----
`

export const PROXY_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqDCCAU2gAwIBAgIUAJlSCnWlDRTGsW24XlL5YPVqu0AwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPYm94LmV4YW1wbGUuY29tMCAXDTI2MTEyMzAzMTA1OFoYDzIx
MjYxMDMwMDMxMDU4WjAaMRgwFgYDVQQDDA9ib3guZXhhbXBsZS5jb20wWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASRnGxuTCbGe8gm/DKQeGcvnSSXX9OWWYbVMd9I
Yra7nYaT7mwJNEH9aSuSYiHOkA3JAtsx4PM5xJKZAZcquwv7o28wbTAdBgNVHQ4E
FgQUZi+urDDKQBUoBYavLWAD/QuSJpkwHwYDVR0jBBgwFoAUZi+urDDKQBUoBYav
LWAD/QuSJpkwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgg9ib3guZXhhbXBs
ZS5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAOU2movIxLrFZuwFqw5eSH1yK++5FRNI
by2B+h+lHuysAiEAgUK93wY3TTzoLivwfPSXsHL2GPoN05cSh3VRsBDxw5Y=
-----END CERTIFICATE-----
`
