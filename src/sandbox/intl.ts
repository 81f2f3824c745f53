/** `Intl`, and the methods of dates, numbers and strings that depend on a language. The host computes them. */

/**
 * The class with its constructor's arguments, as JSON; the method, or null to only check these arguments; and
 * the method's arguments.
 */
export type HostCall = readonly [target: string, method: string | null, values: readonly unknown[]]

export type HostAnswer = { readonly value?: unknown } | { readonly error: string }

export interface Host {
  /** Takes a `HostCall` and returns a `HostAnswer`, both as JSON. */
  readonly ask: (call: string) => string
  /** The host's methods, by class. */
  readonly methods: Readonly<Record<string, readonly string[]>>
}

/** The language for calls that don't name one, whatever the host's language is. */
const LANGUAGE = 'en-US'

/** Kept here, because scripts can replace the global ones. */
const { parse, stringify } = JSON

export function addIntl(host: Host): void {
  const ask = (...[target, method, values]: HostCall): unknown => {
    const answer = parse(host.ask(stringify([target, method, values.map(plain)]))) as HostAnswer
    if ('error' in answer) throw new RangeError(answer.error)
    return answer.value
  }
  const { Date: dateMethods = [], ...classes } = host.methods
  const formatters = Object.entries(classes).map(([name, methods]) => [
    name,
    formatterClass(name, methods, ask),
  ])
  define(globalThis, 'Intl', Object.fromEntries(formatters))
  for (const method of dateMethods)
    define(Date.prototype, method, function (this: Date, locale = LANGUAGE, options?: unknown) {
      return ask(stringify(['Date', plain(this)]), method, [locale, options ?? {}])
    })
  define(Number.prototype, 'toLocaleString', function (this: number, ...format: [string?, object?]) {
    return new Intl.NumberFormat(...format).format(this)
  })
  define(
    String.prototype,
    'localeCompare',
    function (this: string, other: unknown, ...format: [string?, object?]) {
      return new Intl.Collator(...format).compare(this, String(other))
    },
  )
}

function formatterClass(name: string, methods: readonly string[], ask: (...call: HostCall) => unknown) {
  class Formatter {
    readonly #target: string
    static {
      for (const method of methods)
        Object.defineProperty(Formatter.prototype, method, {
          get(this: Formatter) {
            return (...values: unknown[]) => ask(this.#target, method, values)
          },
        })
    }

    constructor(locales: unknown = LANGUAGE, options: unknown = {}) {
      this.#target = stringify([name, locales, options])
      ask(this.#target, null, [])
    }
  }
  // `Intl.NumberFormat()` needs no `new`.
  return new Proxy(Formatter, { apply: (target, _, args: [unknown?, unknown?]) => new target(...args) })
}

/** Converts dates, and numbers that JSON lacks. The host's methods read such strings as numbers. */
function plain(value: unknown): unknown {
  const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.valueOf() : value
  return typeof inner === 'bigint' || (typeof inner === 'number' && !Number.isFinite(inner))
    ? String(inner)
    : inner
}

export function define(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true })
}
