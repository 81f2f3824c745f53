/**
 * A map for short-lived values. A `Map` that keeps changing is copied every so often; the old copy keeps all its former
 * values, and the next copy, alive. Once an old copy is in the garbage collector's old generation, everything that
 * passes through the map ends up there too and is copied twice. Here these copies only hold empty boxes.
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
