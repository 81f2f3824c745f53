interface MarkedTextProps extends Marked {
  /** Number of characters shown before the first mark; defaults to all. */
  readonly lead?: number
}

interface Marked {
  readonly snippet: string
  /** Ranges of the snippet, `[from, to)` in UTF-16 units. */
  readonly marks: readonly (readonly [from: number, to: number])[]
}

/** A part of a text in which the searched words are marked. */
export function MarkedText({ lead = Infinity, ...text }: MarkedTextProps) {
  return cutAtMarks(startNear(text, lead)).map(({ from, text: piece, isMarked }) =>
    isMarked ? (
      <Mark key={from}>{piece}</Mark>
    ) : (
      <span key={from} className="text-muted">
        {piece}
      </span>
    ),
  )
}

function Mark({ children }: { readonly children: string }) {
  return <mark className="rounded-[2px] bg-retrying-soft text-text">{children}</mark>
}

interface WithMarksProps {
  readonly text: string
  /** What to mark wherever it is a separate word. Null marks nothing. */
  readonly words: RegExp | null
}

/** A whole text in which words are marked. */
export function WithMarks({ text, words }: WithMarksProps) {
  if (words === null) return text
  const marks = [...text.matchAll(words).take(MOST_MARKS)].map(
    ({ index, 0: { length } }) => [index, index + length] as const,
  )
  return cutAtMarks({ snippet: text, marks }).map(({ from, text: piece, isMarked }) =>
    isMarked ? <Mark key={from}>{piece}</Mark> : piece,
  )
}

const MOST_MARKS = 500

function startNear({ snippet, marks }: Marked, lead: number): Marked {
  const cut = (marks[0]?.[0] ?? 0) - lead
  if (cut <= 1) return { snippet, marks }
  return {
    snippet: `…${snippet.slice(cut)}`,
    marks: marks.map(([from, to]) => [from - cut + 1, to - cut + 1]),
  }
}

function cutAtMarks({ snippet, marks }: Marked) {
  const pieces: { readonly from: number; readonly text: string; readonly isMarked: boolean }[] = []
  let at = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > at) pieces.push({ from: at, text: snippet.slice(at, to), isMarked })
    at = Math.max(at, to)
  }
  for (const [from, to] of marks) {
    add(from, false)
    add(to, true)
  }
  add(snippet.length, false)
  return pieces
}
