import type { PageLine } from '../state/test-progress.ts'

export interface PageBar {
  readonly id: string
  /**
   * `doubt`: a page that gives reason to doubt that the list is complete; `wait`: a pause, or an attempt that is
   * repeated.
   */
  readonly kind: 'page' | 'doubt' | 'failed' | 'wait' | 'sending'
  /** Numbers of the pages it stands for: more than one if there are too many for a bar each. */
  readonly from: number
  readonly to: number
  /** Number of records of the page, or of the largest of several pages. */
  readonly records: number
}

/** The most bars that a strip has, however wide it is. */
const MOST_BARS = 150

/** @param hasFailed whether the last page couldn't be read */
export function pageBars(pages: readonly PageLine[], hasFailed: boolean): readonly PageBar[] {
  const bars = pages.flatMap((line, index) => barsOf(line, hasFailed && index === pages.length - 1))
  const size = Math.ceil(bars.length / MOST_BARS)
  if (size <= 1) return bars
  return Array.from({ length: Math.ceil(bars.length / size) }, (_, index) =>
    merged(bars.slice(index * size, (index + 1) * size)),
  )
}

function barsOf({ page, wait, attempts, warnings }: PageLine, isFailed: boolean): readonly PageBar[] {
  const bar = (kind: PageBar['kind'], part: string, records = 0): PageBar => ({
    id: `${page} ${part}`,
    kind,
    from: page,
    to: page,
    records,
  })
  const last = attempts.at(-1)
  const isDoubtful = warnings.some(({ in_doubt: inDoubt }) => inDoubt)
  return [
    ...(wait === null ? [] : [bar('wait', 'before')]),
    ...attempts.flatMap(({ retry }, index) => (retry === null ? [] : [bar('wait', String(index))])),
    ...(isFailed
      ? [bar('failed', 'last')]
      : last === undefined || last.retry !== null
        ? []
        : last.response === null
          ? [bar('sending', 'last')]
          : [bar(isDoubtful ? 'doubt' : 'page', 'last', last.response.records)]),
  ]
}

/** A failure is visible however many pages a bar stands for. */
function merged(bars: readonly PageBar[]): PageBar {
  const worst = ORDER.map((kind) => bars.find((bar) => bar.kind === kind)).find(Boolean) as PageBar
  const [first] = bars as [PageBar]
  const records = Math.max(...bars.map((bar) => bar.records))
  return { ...worst, id: first.id, from: first.from, to: bars.at(-1)?.to ?? first.to, records }
}

const ORDER: readonly PageBar['kind'][] = ['failed', 'doubt', 'sending', 'page', 'wait']
