import type { FormPart } from './form-part.ts'

/** The request that a `curl` command sends. Its texts may have open parts: see open-text.ts. */
export interface CurlRequest {
  /** The command, for messages. */
  readonly command: string
  readonly method: string
  /** With its query, as it is sent. */
  readonly url: string
  /** In the order in which they are sent, a name as often as it is sent; without those that every client has. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Sent with the scheme Basic. */
  readonly login: { readonly user: string; readonly password: string } | null
  readonly body: CurlBody
  readonly timeoutSeconds: number | null
  readonly retry: { readonly attempts: number; readonly waitSeconds: number } | null
  /** What Millrace does otherwise. */
  readonly notes: readonly string[]
  /** Why the request would not be the same. It must not be sent as if it were. */
  readonly blocks: readonly string[]
}

export type CurlBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'multipart'; readonly parts: readonly FormPart[] }

/** Every command of a text. */
export interface CurlReading {
  readonly requests: readonly CurlRequest[]
  /** Other parts of the text, and commands that curl itself refuses. */
  readonly leftOut: readonly { readonly item: string; readonly reason: string }[]
}
