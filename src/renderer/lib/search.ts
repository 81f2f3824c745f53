/** Query parameters of the URL, parsed with care: invalid ones are ignored. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && value.length <= 500 ? value : undefined
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value)
}

/** Parses all of it; keys without a value are left out, so that URLs stay short. */
export function searchOf<T extends object>(read: (search: Record<string, unknown>) => T) {
  return (search: Record<string, unknown>): Partial<T> =>
    Object.fromEntries(Object.entries(read(search)).filter(([, value]) => value !== undefined)) as Partial<T>
}
