/** Types for authors of Millrace plug-ins: the exports of `run.js` and the parameters of its functions. */

/** A JSON value. Integers beyond 2^53 are BigInts. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }

/** The abilities of a plug-in. Using one that its manifest doesn't declare fails with a message that says so. */
export interface Abilities {
  /**
   * Sends one request to one of `permissions.origins`. Resolves whatever the status is.
   *
   * @example const { status, body } = await request({ url: 'https://api.example.com/orders' })
   */
  readonly request: (request: Request) => Promise<Response>
  /** Files in the folders that Millrace's settings allow. Needs `permissions.files`. */
  readonly files: {
    readonly read: (file: { path: string; encoding?: 'utf8' | 'base64' }) => Promise<string>
    readonly list: (folder: {
      path: string
      pattern?: string
    }) => Promise<{ path: string; name: string; size: number }[]>
    readonly write: (file: {
      path: string
      content: string
      encoding?: 'utf8' | 'base64'
      append?: boolean
    }) => Promise<{ path: string; size: number }>
  }
  /** Values of this plug-in, kept between runs. Needs `permissions.key_values`. */
  readonly keyValues: {
    readonly get: (key: string) => Promise<Json>
    readonly set: (key: string, value: Json) => Promise<void>
    readonly delete: (key: string) => Promise<void>
  }
  /** Writes a line to the log of the step. */
  readonly log: (...values: unknown[]) => void
}

export interface Request {
  readonly url: string
  /** Defaults to GET. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: Json
  /** The value of an `auth` field, whose credentials are added if they belong to this URL. */
  readonly auth?: unknown
}

export interface Response {
  readonly status: number
  /** The URL that responded, after redirects. */
  readonly url: string
  /** Keyed by name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed value if it is JSON, or else a string. */
  readonly body: unknown
}

/** A value for each field of the manifest: the step's rendered value, or the field's default, or null. */
export type Input = Readonly<Record<string, unknown>>

export type Step = (call: { readonly input: Input } & Abilities) => Json | Promise<Json>

/** `items: null` means that nothing has changed. The next check gets the returned `cursor`. */
export type Trigger = (
  call: { readonly input: Input; readonly cursor: unknown } & Abilities,
) => Found | Promise<Found>

export interface Found {
  readonly items: readonly Json[] | null
  readonly cursor?: Json
}

/** A filter for templates. It receives the value and the arguments that its manifest names, and can only compute. */
export type Filter = (value: unknown, ...args: readonly unknown[]) => Json

/** `export const filters` of `run.js`, by the names in the manifest. */
export type Filters = Readonly<Record<string, Filter>>

/** `export const steps` of `run.js`, by the names in the manifest. */
export type Steps = Readonly<Record<string, Step>>

/** `export const triggers` of `run.js`, by the names in the manifest. */
export type Triggers = Readonly<Record<string, Trigger>>
