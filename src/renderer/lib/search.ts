/** Parts of the address behind `?`, read with care: whatever does not fit is as if it were not there. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && value.length <= 500 ? value : undefined
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((one) => one === value)
}

/** Reads the whole of it; keys without a value are left out, so that addresses stay short. */
export function searchOf<T extends object>(read: (search: Record<string, unknown>) => T) {
  return (search: Record<string, unknown>): Partial<T> =>
    Object.fromEntries(Object.entries(read(search)).filter(([, value]) => value !== undefined)) as Partial<T>
}
