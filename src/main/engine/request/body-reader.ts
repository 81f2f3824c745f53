import { say } from '../../../shared/contract/base/message.ts'
import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { RequestError } from './request-error.ts'

export interface BodyLimits {
  readonly wireBytes: number
  readonly decodedBytes: number
  /** The most bytes decoded per byte received, once more than `ratioFromBytes` are decoded. */
  readonly ratio: number
  readonly ratioFromBytes: number
}

export interface BodyReaderEvents {
  /** Called to pause writing until `onDrain`. */
  onFull(): void
  onDrain(): void
  onEnd(body: Uint8Array): void
  onError(error: Error): void
}

/**
 * Collects a response body chunk by chunk and decodes it immediately, so that a small compressed response that expands
 * to gigabytes is stopped while it expands.
 */
export class BodyReader {
  wireBytes = 0
  readonly #limits: BodyLimits
  readonly #events: BodyReaderEvents
  readonly #place: string
  readonly #encodings: readonly string[]
  #decoders: Transform[] = []
  #chunks: Uint8Array[] = []
  #decodedBytes = 0
  #failed = false

  constructor(contentEncoding: string | null, place: string, limits: BodyLimits, events: BodyReaderEvents) {
    this.#limits = limits
    this.#events = events
    this.#place = place
    this.#encodings = encodingsOf(contentEncoding)
    const unknown = this.#encodings.find((name) => !DECODABLE.has(name))
    if (unknown !== undefined) {
      throw new RequestError(
        'response_not_json',
        say('{{place}} responded in the unknown encoding "{{unknown}}"', { place, unknown }),
      )
    }
    if (this.#encodings.length > MAX_ENCODINGS) {
      throw new RequestError(
        'response_not_json',
        say('{{place}} responded with {{count}} encodings', { place, count: this.#encodings.length }),
      )
    }
  }

  write(chunk: Uint8Array): void {
    if (this.#failed) return
    this.wireBytes += chunk.byteLength
    if (this.wireBytes > this.#limits.wireBytes) {
      return this.#fail(this.#tooLarge(`${megabytes(this.#limits.wireBytes)} MB on the wire`))
    }
    const decoder = this.#firstDecoder(chunk)
    if (!decoder) return this.#collect(chunk)
    if (!decoder.write(chunk)) this.#events.onFull()
  }

  end(): void {
    if (this.#failed) return
    const [decoder] = this.#decoders
    if (decoder) decoder.end()
    else this.#finish()
  }

  destroy(): void {
    this.#failed = true
    for (const decoder of this.#decoders) decoder.destroy()
    this.#chunks = []
  }

  /** Created at the first byte, because a response to HEAD, or a 204, can name an encoding without having a body. */
  #firstDecoder(chunk: Uint8Array): Transform | undefined {
    if (this.#decoders.length > 0 || this.#encodings.length === 0) return this.#decoders[0]
    // The encodings are listed in the order they were applied.
    this.#decoders = this.#encodings.toReversed().map((name) => decoderFor(name, chunk))
    for (const [index, decoder] of this.#decoders.entries()) {
      const next = this.#decoders[index + 1]
      if (next) decoder.pipe(next)
      decoder.on('error', (cause) => this.#fail(this.#undecodable(cause)))
    }
    this.#decoders[0]?.on('drain', () => this.#events.onDrain())
    const last = this.#decoders.at(-1)
    last?.on('data', (decoded: Uint8Array) => this.#collect(decoded))
    last?.on('end', () => this.#finish())
    return this.#decoders[0]
  }

  #collect(chunk: Uint8Array): void {
    if (this.#failed) return
    this.#decodedBytes += chunk.byteLength
    const { decodedBytes, ratio, ratioFromBytes } = this.#limits
    if (this.#decodedBytes > decodedBytes) {
      return this.#fail(this.#tooLarge(`${megabytes(decodedBytes)} MB`))
    }
    if (this.#decodedBytes > ratioFromBytes && this.#decodedBytes > ratio * this.wireBytes) {
      return this.#fail(this.#tooLarge(`${ratio} times its compressed size`))
    }
    this.#chunks.push(chunk)
  }

  #finish(): void {
    if (this.#failed) return
    const [only] = this.#chunks
    this.#events.onEnd(
      this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#decodedBytes),
    )
  }

  #fail(error: RequestError): void {
    if (this.#failed) return
    this.destroy()
    this.#events.onError(error)
  }

  #tooLarge(limit: string): RequestError {
    return new RequestError(
      'response_too_large',
      say('{{place}} responded with more than {{limit}}; request smaller pages', {
        place: this.#place,
        limit,
      }),
    )
  }

  #undecodable(cause: Error): RequestError {
    const encoding = this.#encodings.join(', ')
    return new RequestError(
      'response_not_json',
      say("{{place}} says its response is encoded as {{encoding}}, but it can't be decoded: {{cause}}", {
        place: this.#place,
        encoding,
        cause: cause.message,
      }),
      { transient: true, cause },
    )
  }
}

function encodingsOf(contentEncoding: string | null): string[] {
  return (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
}

const DECODABLE = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd'])
const MAX_ENCODINGS = 3

function decoderFor(encoding: string, firstChunk: Uint8Array): Transform {
  switch (encoding) {
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    case 'deflate':
      // The standard requires the zlib format, but some servers send the raw stream, whose first byte differs.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
    default:
      return createGunzip()
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}
