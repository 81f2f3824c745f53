import type { Socket } from 'node:net'

/**
 * Catches errors from a method that a library calls in its own callbacks. Nobody awaits those, so the error would
 * end the process.
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

/** Makes an error thrown by a socket's listener end only that connection. */
export function containSocket<S extends Socket>(socket: S): S {
  contain(socket, 'emit', (error) => socket.destroy(error))
  return socket
}
