/**
 * A map for short-lived values. A `Map` whose entries change copies itself every so often, and its former copy holds on
 * to all that was in it then, and to the next copy: once one of these is old, everything that passes through the map
 * becomes old with it, and the garbage collector copies it twice. Here they hold empty boxes.
 */
export class EphemeralMap<V extends object> {
  readonly #boxes = new Map<string, Box<V>>()

  get size(): number {
    return this.#boxes.size
  }

  get(key: string): V | null {
    return this.#boxes.get(key)?.value ?? null
  }

  has(key: string): boolean {
    return this.#boxes.has(key)
  }

  set(key: string, value: V): void {
    this.delete(key)
    this.#boxes.set(key, { value })
  }

  delete(key: string): boolean {
    const box = this.#boxes.get(key)
    if (box === undefined) return false
    box.value = null
    return this.#boxes.delete(key)
  }

  *values(): IterableIterator<V> {
    for (const { value } of this.#boxes.values()) if (value !== null) yield value
  }
}

interface Box<V> {
  value: V | null
}
