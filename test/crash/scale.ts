/** The crash suite has two sizes: minutes long with `npm run test:crash`, and a short form among all tests. */
const isLong = process.env.MODE === 'long'

export const scale = (long: number, short: number): number => (isLong ? long : short)

/** Prints the counts; the long form is run for these lines. */
export function report(what: string, counted: Readonly<Record<string, number>>): void {
  const counts = Object.entries(counted).map(([name, count]) => `${name} ${count}`)
  process.stdout.write(`${what}: ${counts.join(', ')}\n`)
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
/** A random moment. */
export const randomPause = (from: number, to: number): Promise<void> =>
  pause(from + Math.random() * (to - from))
