import type { Data } from './value.ts'

/**
 * Headers as an object with case-insensitive names, which templates read as `previous_request_headers.Link`. Several
 * lines with the same name are joined with a comma and a space.
 */
export class HeaderMap extends Map<string, Data> {
  constructor(lines: Iterable<readonly [name: string, value: string]> = []) {
    super()
    for (const [name, value] of lines) {
      const before = this.get(name)
      this.set(name, typeof before === 'string' ? `${before}, ${value}` : value)
    }
  }

  override get(name: string): Data | undefined {
    return super.get(name.toLowerCase())
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase())
  }

  override set(name: string, value: Data): this {
    return super.set(name.toLowerCase(), value)
  }
}
