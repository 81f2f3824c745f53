/** A measured number, and the number it is compared with. */
export interface Figure {
  readonly what: string
  readonly unit: string
  readonly ours: number
  /** A figure measured at the same time on the same machine; absent if the goal is an absolute number. */
  readonly beside?: { readonly name: string; readonly value: number }
  /** The goal in words: `at least half`, `at most 110 MB`; `told` if there is none. */
  readonly goal: string
  readonly isMet: boolean
}

/** Each file in bench/ exports one as `benchmark`. */
export interface Benchmark {
  readonly title: string
  /** Whether it takes many minutes; it then runs only by name. */
  readonly isLong?: boolean
  run(wishes: Wishes): Promise<readonly Figure[]>
}

export interface Wishes {
  /** `--threads`: CPU time per request, of the main thread and of the process. */
  readonly threads: boolean
}

/** What is measured, the figure, the one it is compared with, their ratio, the goal, and whether it is met. */
export const figureRow = ({ what, unit, ours, beside, goal, isMet }: Figure) => [
  what,
  `${formatNumber(ours)} ${unit}`.trimEnd(),
  beside ? `${formatNumber(beside.value)} ${unit} (${beside.name})` : '',
  beside ? `${(ours / beside.value).toFixed(2)}×` : '',
  ...(goal === 'told' ? ['', ''] : [goal, isMet ? 'met' : 'MISSED']),
]

export function formatFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => figureRow(figure))
  const table = [['', 'Millrace', 'beside', 'ratio', 'goal', ''], ...rows]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The median, because a single slow or lucky run doesn't move it. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

const formatNumber = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 10 ? 1 : 2)
