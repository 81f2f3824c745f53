/** The interfaces that services and the server need from outside, besides the engine's ports. */

/** The program's own log; `fields` never contain a secret. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Cryptographically secure randomness. */
export interface SecureRandom {
  bytes(count: number): Uint8Array
  /** UUID v4. */
  uuid(): string
}

/** The API's JSON: reads and writes integers of any size without losing a digit. */
export interface JsonCodec {
  /**
   * Objects have no prototype, a key `__proto__` is dropped, depth and number of values are limited.
   *
   * @throws AppError `validation` saying what is wrong and where
   */
  parse(text: string): unknown
  /** The same, but parses a large string a few milliseconds at a time. */
  parseLarge(text: string): Promise<unknown>
  stringify(value: unknown): string
}
