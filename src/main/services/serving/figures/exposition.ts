/** Metrics in the Prometheus text format, version 0.0.4. */

type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly suffix?: '_bucket' | '_sum' | '_count'
  readonly labels?: Labels
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export function writeExposition(families: readonly Family[]): string {
  return families.map(writeFamily).join('')
}

function writeFamily({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}`,
  )
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeValue = (text: string) => escapeHelp(text).replaceAll('"', '\\"')

function writeNumber(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  return String(value)
}

export const gauge = (name: string, help: string, value: number, labels: Labels = {}): Family => ({
  name,
  help,
  type: 'gauge',
  samples: [{ labels, value }],
})

/** Counts by the value of one label. */
export class Counter {
  readonly #name: string
  readonly #help: string
  readonly #label: string
  readonly #counts: Map<string, number>

  /** @param known values that are listed even if they never occurred, so that their first increase can be seen */
  constructor(name: string, help: string, label: string, known: readonly string[] = []) {
    this.#name = name
    this.#help = help
    this.#label = label
    this.#counts = new Map(known.map((value) => [value, 0]))
  }

  add(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
  }

  read(): Family {
    const samples = [...this.#counts].map(([label, value]) => ({ labels: { [this.#label]: label }, value }))
    return { name: this.#name, help: this.#help, type: 'counter', samples }
  }
}

/** Counts values in buckets with fixed upper bounds. */
export class Histogram {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  /** The last count is for values above all bounds. */
  readonly #counts: number[]
  #sum = 0

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
    this.#counts = [...bounds.map(() => 0), 0]
  }

  add(value: number): void {
    const found = this.#bounds.findIndex((bound) => value <= bound)
    const at = found === -1 ? this.#bounds.length : found
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  read(): Family {
    let total = 0
    const buckets = this.#counts.map((count, at): Sample => {
      total += count
      const le = at < this.#bounds.length ? writeNumber(this.#bounds[at] ?? 0) : '+Inf'
      return { suffix: '_bucket', labels: { le }, value: total }
    })
    return {
      name: this.#name,
      help: this.#help,
      type: 'histogram',
      samples: [...buckets, { suffix: '_sum', value: this.#sum }, { suffix: '_count', value: total }],
    }
  }
}
