/** Shared by all parts of the stand-in: it reports calls to the test, and misuse ends the test. */
import { EventEmitter } from 'node:events'
import { eventsOf, membersOf } from './definitions.ts'

export interface StandInOptions {
  readonly isFirstInstance?: boolean
  readonly hasKeychain?: boolean
  /** The name of the keychain; without it, the system behaves as if it had a good one. */
  readonly keychain?: string
  /** Whether the keychain can't decrypt anything. */
  readonly keychainForgot?: boolean
  readonly loadFails?: boolean
  readonly openFails?: boolean
  readonly isPackaged?: boolean
  /** The folder next to the program, with the package's description of itself. */
  readonly resources?: string
  readonly locale?: string
  /** The link that macOS sends once, before the app is ready. */
  readonly firstLink?: string
  /** Whether the desktop shows a tray; for the test itself. */
  readonly hasTray?: boolean
  /** The work areas of the screens. */
  readonly screens?: readonly Electron.Rectangle[]
  /** Which button of each dialog is chosen, in order. */
  readonly buttons?: readonly number[]
}

export const options = JSON.parse(process.env.STAND_IN ?? '{}') as StandInOptions

export const state = { isReady: false }

export function report(call: string, ...args: unknown[]): void {
  process.send?.({ call, args })
}

export function must(condition: unknown, sentence: string): asserts condition {
  if (condition) return
  report('misuse', sentence)
  throw new Error(`electron stand-in: ${sentence}`)
}

/**
 * Unknown names throw instead of being undefined.
 *
 * @param definition the class or interface that it replaces
 */
export function strict<T extends object>(name: string, definition: string, target: T): T {
  const members = membersOf(definition)
  for (const key of Object.keys(target))
    if (!key.startsWith('_')) must(members.has(key), `Electron's ${definition} has no "${key}"`)
  return new Proxy(target, {
    get(object, key, receiver) {
      must(typeof key === 'symbol' || key === 'then' || key in object, `${name}.${String(key)} is not known`)
      const value: unknown = Reflect.get(object, key, receiver)
      return typeof value === 'function' ? (value.bind(object) as unknown) : value
    },
    set(object, key, value) {
      must(members.has(String(key)), `Electron's ${definition} has no "${String(key)}"`)
      report(`${name}.${String(key)}`, value)
      return Reflect.set(object, key, value, object)
    },
  })
}

/** Electron silently ignores options with unknown names. */
export function onlyOptions(given: object, definition: string): void {
  const known = membersOf(definition)
  const unknown = Object.keys(given).filter((key) => !known.has(key))
  must(unknown.length === 0, `${definition} has no ${unknown.join(', ')}`)
}

/** Resolves a little later, like the system, so that code that forgets to wait has no value yet. */
export const later = <T>(give: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    setTimeout(() => {
      try {
        resolve(give())
      } catch (error) {
        reject(error)
      }
    }, 5)
  })

export class Preventable {
  defaultPrevented = false
  constructor(fields: object = {}) {
    Object.assign(this, fields)
  }
  preventDefault(): void {
    this.defaultPrevented = true
  }
}

/** Listens to the events that Electron documents, and to no others. */
export class Emitter extends EventEmitter {
  readonly #name: string
  readonly #events: ReadonlySet<string>
  constructor(definition: string) {
    super()
    this.#name = definition
    this.#events = eventsOf(definition)
  }
  override on(event: string, listener: (...args: never[]) => void): this {
    must(this.#events.has(event), `${this.#name} has no event "${event}"`)
    return super.on(event, listener as (...args: unknown[]) => void)
  }
  override once(event: string, listener: (...args: never[]) => void): this {
    must(this.#events.has(event), `${this.#name} has no event "${event}"`)
    return super.once(event, listener as (...args: unknown[]) => void)
  }
  /** Emits a preventable event, and says whether it was prevented. */
  ask(event: string, fields: object = {}, ...args: unknown[]): boolean {
    const asked = new Preventable(fields)
    this.emit(event, asked, ...args)
    return asked.defaultPrevented
  }
}

const buttons = [...(options.buttons ?? [])]
/** The button that the user presses in the next dialog; by default the one that Escape presses. */
export const pressed = (cancelId: number): number => buttons.shift() ?? cancelId
