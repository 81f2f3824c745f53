export interface SourcePosition {
  readonly line: number
  readonly column: number
  readonly token: string
}

/** Line and column of a span of the source, both from 1, columns in characters. */
export function positionOf(source: string, start: number, end: number): SourcePosition {
  const before = source.slice(0, start)
  const line = before.split('\n').length
  const column = Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1
  return { line, column, token: source.slice(start, end) }
}
