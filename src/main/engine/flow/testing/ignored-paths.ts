/** Splits `body.items[*].at` into keys; `*` matches any. */
export function readIgnoredPath(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+|\*)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  )
}

/** Whether the place is the ignored path or below it. */
export function isIgnored(at: readonly (string | number)[], path: readonly string[]): boolean {
  return path.length <= at.length && path.every((key, index) => key === '*' || key === String(at[index]))
}
