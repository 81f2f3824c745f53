import { useLayoutEffect, useRef, useState } from 'react'

/**
 * The same functions at every draw, each of which does what the newest of its name does: what they are given to is drawn
 * anew only where something else changed. For events alone, not while drawing.
 */
export function useSteady<T extends object>(functions: T): T {
  const newest = useRef(functions)
  useLayoutEffect(() => {
    newest.current = functions
  })
  const [steady] = useState(() => {
    const names = Object.keys(functions) as (keyof T)[]
    const relay =
      (name: keyof T) =>
      (...given: unknown[]) =>
        (newest.current[name] as (...given: unknown[]) => unknown)(...given)
    return Object.fromEntries(names.map((name) => [name, relay(name)])) as T
  })
  return steady
}
