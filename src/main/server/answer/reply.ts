/** A response with a different status than the route's default, or with headers. */
export class Reply<T> {
  readonly status: number
  readonly result: T
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, result: T, headers: Readonly<Record<string, string>>) {
    this.status = status
    this.result = result
    this.headers = headers
  }
}

export function reply<T>(
  status: number,
  result: T,
  headers: Readonly<Record<string, string>> = {},
): Reply<T> {
  return new Reply(status, result, headers)
}

/** The route's default response, serialized in pieces, for values too large to be in memory at once. */
export class SerializedJson {
  readonly pieces: AsyncIterable<string>

  constructor(pieces: AsyncIterable<string>) {
    this.pieces = pieces
  }
}
