import type { Socket } from 'node:net'

/**
 * Catches what a method throws that a library calls from callbacks of its own. Nobody waits for those, so the error
 * would end the program.
 */
export function contain(target: object, method: string, onThrow: (error: Error) => void): void {
  const methods = target as Record<string, (...args: unknown[]) => unknown>
  const original = methods[method]
  if (original === undefined) throw new Error(`There is no method ${method}`)
  methods[method] = function contained(...args) {
    try {
      return original.apply(this, args)
    } catch (error) {
      onThrow(error instanceof Error ? error : new Error(String(error)))
      return false
    }
  }
}

/** A listener of the socket that throws ends the connection, and nothing else. */
export function containSocket<S extends Socket>(socket: S): S {
  contain(socket, 'emit', (error) => socket.destroy(error))
  return socket
}
