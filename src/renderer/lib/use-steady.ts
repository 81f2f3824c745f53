import { useLayoutEffect, useRef, useState } from 'react'

/**
 * The same functions in every render, each calling the latest version, so that components that receive them render
 * again only if something else changed. Only for events, not for rendering.
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
