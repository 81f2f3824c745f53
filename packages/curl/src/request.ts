import type { Said } from '@millrace/jinja/said'
import type { FormPart } from './form-part.ts'

/** The request that a `curl` command sends. Its strings can have open parts (see open-text.ts). */
export interface CurlRequest {
  /** The command, for messages. */
  readonly command: string
  readonly method: string
  /** Includes its query, as it is sent. */
  readonly url: string
  /** The headers in the order and number in which they are sent, without those that every client sends. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Sent with the scheme Basic. */
  readonly login: { readonly user: string; readonly password: string } | null
  readonly body: CurlBody
  readonly timeoutSeconds: number | null
  readonly retry: { readonly attempts: number; readonly waitSeconds: number } | null
  /** Things that Millrace does differently. */
  readonly notes: readonly Said[]
  /** Why the request would differ. It must not be sent as if it were the same. */
  readonly blocks: readonly Said[]
}

export type CurlBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'multipart'; readonly parts: readonly FormPart[] }

/** All commands of an input. */
export interface CurlReading {
  readonly requests: readonly CurlRequest[]
  /** Other parts of the input, and commands that curl itself rejects. */
  readonly leftOut: readonly { readonly item: string; readonly reason: Said }[]
}
