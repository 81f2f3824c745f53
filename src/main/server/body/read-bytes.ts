import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { AppError } from '../../../shared/contract/base/errors.ts'
import { say, type Said } from '../../../shared/contract/base/message.ts'
import { limitedAddress } from '../../services/kit/limited-address.ts'
import { ClientGone } from '../answer/client-gone.ts'

export interface ReadBytesOptions {
  /** Applies before and after decompression. */
  readonly maxBytes: number
  /** The caller's IP address, if a proxy passes it on; defaults to the socket's. */
  readonly client?: string | undefined
  /** Advice for a body that is too large, as the end of the error message. */
  readonly whenTooLarge?: Said | undefined
  /** Called with the number of bytes read if the body is larger and its size wasn't announced. */
  readonly onTooLarge?: ((bytes: number) => void) | undefined
}

/**
 * The body of a request, decompressed.
 *
 * @throws AppError `unsupported_media_type` (an encoding other than gzip, deflate or br), `too_large`, `validation`
 *   (data that doesn't decompress); ClientGone if the caller left before the end
 */
export async function readBytes(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReadBytesOptions,
): Promise<Buffer> {
  const decompress = decompressor(request.headers['content-encoding'])
  const bytes = await readRawBytes(request, response, options)
  return decompress ? decompress(bytes, options) : bytes
}

/**
 * The body as sent, not decompressed.
 *
 * @throws AppError `too_large`; ClientGone
 */
export function readRawBytes(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReadBytesOptions,
): Promise<Buffer> {
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > options.maxBytes) return Promise.reject(tooLarge(options))
  // Only now, when nothing else can reject the request, is the caller asked to send its body.
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue()
  return collect(request, options)
}

/**
 * The body as sent. A larger one is a stream, which is only read as far as it is consumed.
 *
 * @throws AppError `too_large` if it is known to be larger than `mostStreamed`; ClientGone
 */
export async function readOrStream(
  request: IncomingMessage,
  response: ServerResponse,
  { mostStreamed, ...options }: ReadBytesOptions & { readonly mostStreamed: number },
): Promise<Buffer | Readable> {
  const limit = { ...options, maxBytes: mostStreamed }
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > mostStreamed) throw tooLarge(limit)
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue()
  const begun = length > options.maxBytes ? [] : await collect(request, options, true)
  return Buffer.isBuffer(begun)
    ? begun
    : Readable.from(streamed(request, begun, limit), { objectMode: false })
}

async function* streamed(
  request: IncomingMessage,
  begun: readonly Buffer[],
  options: ReadBytesOptions,
): AsyncGenerator<Buffer, void, void> {
  let size = begun.reduce((sum, chunk) => sum + chunk.length, 0)
  yield* begun
  // Keeps the connection open, so that the caller still gets a response if nobody wants the rest.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > options.maxBytes) throw tooLarge(options)
    yield chunk
  }
}

/** `5 MB` where that is exact, otherwise in bytes. */
export function sizeInWords(bytes: number): string {
  if (bytes >= 1_048_576 && bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MB`
  return bytes >= 1_024 && bytes % 1_024 === 0 ? `${bytes / 1_024} kB` : `${bytes} bytes`
}

/** Whether the request has a body, even an empty chunked one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function tooLarge({ maxBytes, whenTooLarge }: ReadBytesOptions): AppError {
  const size = sizeInWords(maxBytes)
  return new AppError(
    'too_large',
    whenTooLarge === undefined
      ? say('The body is larger than the limit of {{size}}', { size })
      : say('The body is larger than the limit of {{size}}; {{advice}}', { size, advice: whenTooLarge }),
  )
}

/** Bytes of bodies that haven't arrived completely, in total and by address. */
const underWay = { all: 0, byClient: new Map<string, number>() }
const MOST_UNDER_WAY = 268_435_456
/** Limit per address, but always enough for four bodies of the largest size. */
const MOST_OF_CLIENT = 67_108_864

function takePlace(client: string, maxBytes: number) {
  let held = 0
  const add = (bytes: number) => {
    held += bytes
    underWay.all += bytes
    const left = (underWay.byClient.get(client) ?? 0) + bytes
    if (left > 0) underWay.byClient.set(client, left)
    else underWay.byClient.delete(client)
  }
  return {
    /** False if this many more bytes exceed a limit. */
    grow(bytes: number): boolean {
      add(bytes)
      const ofClient = underWay.byClient.get(client) ?? 0
      return (
        underWay.all <= Math.max(MOST_UNDER_WAY, 8 * maxBytes) &&
        ofClient <= Math.max(MOST_OF_CLIENT, 4 * maxBytes)
      )
    },
    free: () => add(-held),
  }
}

function noPlace(): AppError {
  return new AppError(
    'unavailable',
    say('Too many request bodies are arriving at once; send this request again'),
    {
      headers: { 'Retry-After': '5' },
    },
  )
}

/** @param keepsBegun set to stop reading a body that is too large and return its beginning, instead of rejecting it */
function collect(request: IncomingMessage, options: ReadBytesOptions): Promise<Buffer>
function collect(
  request: IncomingMessage,
  options: ReadBytesOptions,
  keepsBegun: true,
): Promise<Buffer | Buffer[]>
function collect(
  request: IncomingMessage,
  options: ReadBytesOptions,
  keepsBegun = false,
): Promise<Buffer | Buffer[]> {
  const { maxBytes, client = request.socket.remoteAddress ?? '' } = options
  const place = takePlace(limitedAddress(client), maxBytes)
  return new Promise<Buffer | Buffer[]>((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let isWhole = false

    function onData(chunk: Buffer): void {
      size += chunk.length
      const fits = size <= maxBytes
      if (fits && place.grow(chunk.length)) {
        chunks.push(chunk)
        return
      }
      request.off('data', onData)
      if (keepsBegun && !fits) {
        request.off('end', onEnd).off('close', onGone).pause()
        resolve([...chunks, chunk])
        return
      }
      chunks.length = 0
      if (!fits) options.onTooLarge?.(size)
      reject(fits ? noPlace() : tooLarge(options))
    }
    const onEnd = () => {
      isWhole = true
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
      goOnTogether(() => resolve(bytes))
    }
    const onGone = () => {
      if (!isWhole) reject(new ClientGone())
    }
    // An aborted request emits `error` before `close`; without a listener that would end the process.
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  }).finally(() => place.free())
}

/** Callbacks that wait for the end of this event loop iteration. */
let arrived: (() => void)[] = []

/**
 * All bodies that are completed in one event loop iteration continue in the next. Each part of the program then runs
 * for all of them in a row, and their writes share a commit. One by one, they took the main thread 1.2 to 1.7 times as
 * long.
 */
function goOnTogether(goOn: () => void): void {
  if (arrived.push(goOn) > 1) return
  setImmediate(() => {
    const all = arrived
    arrived = []
    for (const one of all) one()
  })
}

type Decompress = (bytes: Buffer, options: ReadBytesOptions) => Promise<Buffer>

function decompressor(encoding: string | undefined): Decompress | null {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === '' || name === 'identity') return null
  const unpack = DECOMPRESSORS.get(name)
  if (unpack) return (bytes, options) => within(unpack, bytes, options)
  throw new AppError(
    'unsupported_media_type',
    say('Unsupported Content-Encoding "{{name}}"; send gzip, deflate, br or no encoding', {
      name: name.slice(0, 40),
    }),
  )
}

type Unpack = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const unpackInflate: Unpack = promisify(inflate)
const unpackInflateRaw: Unpack = promisify(inflateRaw)
/** `deflate` means the zlib format, but some clients send the raw stream; the first byte distinguishes them. */
const unpackDeflate: Unpack = (bytes, options) =>
  (bytes[0]! & 0x0f) === 8 ? unpackInflate(bytes, options) : unpackInflateRaw(bytes, options)

const DECOMPRESSORS: ReadonlyMap<string, Unpack> = new Map([
  ['gzip', promisify(gunzip) as Unpack],
  ['x-gzip', promisify(gunzip) as Unpack],
  ['deflate', unpackDeflate],
  ['br', promisify(brotliDecompress) as Unpack],
])

async function within(unpack: Unpack, bytes: Buffer, options: ReadBytesOptions): Promise<Buffer> {
  if (bytes.length === 0) return bytes
  try {
    return await unpack(bytes, { maxOutputLength: options.maxBytes })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(options)
    throw new AppError('validation', say("The body isn't valid in its Content-Encoding"), { cause })
  }
}
