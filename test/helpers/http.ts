/** HTTP as other programs speak it: any header, any bytes, nothing added unless requested. */
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'

export interface HttpCall {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly host?: string
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as JSON; undefined if it isn't JSON. */
  readonly json: unknown
}

export function callHttp(
  port: number,
  { method = 'GET', path, headers = {}, body, host = '127.0.0.1' }: HttpCall,
) {
  return new Promise<HttpAnswer>((resolve, reject) => {
    const outgoing = request({ host, port, method, path, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) })
      })
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

/** Returns only the status, as soon as it is known, for responses that never end by themselves. */
export function statusOf(
  port: number,
  { method = 'GET', path, headers = {}, body }: HttpCall,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (incoming) => {
      resolve(incoming.statusCode ?? 0)
      incoming.destroy()
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

/** Writes bytes to a connection and returns everything received until the other side closes it. */
export function sendBytes(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.once('error', reject)
    socket.once('end', () => socket.end())
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** Sends everything before it reads a response, as many clients do. */
export function sendThenRead(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').pause()
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.pause()
    for (const part of parts.slice(0, -1)) socket.write(part)
    socket.write(parts.at(-1) ?? '', () => socket.resume())
    socket.once('error', reject)
    socket.once('end', () => socket.end())
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** The parts of one response as sent over the wire. */
export function readAnswer(text: string): HttpAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  const body = rest.join('\r\n\r\n')
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, json: parsed(body) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
