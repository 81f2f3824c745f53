/** What services and the server are given from outside, beside the engine's ports. */

/** Lines of the program's own log; `fields` never hold a secret. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Randomness fit for secrets. */
export interface SecureRandom {
  bytes(count: number): Uint8Array
  /** UUID v4. */
  uuid(): string
}

/** JSON of the wire: reads and writes whole numbers of any size without losing a digit. */
export interface JsonCodec {
  /**
   * Maps come without a prototype, a key `__proto__` is dropped, depth and number of values are limited.
   *
   * @throws AppError `validation` saying what is wrong and where
   */
  parse(text: string): unknown
  /** The same; a large text is read a few milliseconds at a time. */
  parseLarge(text: string): Promise<unknown>
  stringify(value: unknown): string
}
