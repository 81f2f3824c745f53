import { current } from '../limits.ts'

/** A new UUID, from the source the caller gave. */
export function randomUuid(): string {
  return current.surroundings.uuid()
}
