import type { RunMatch } from '../../../shared/contract/flow-runs.ts'

/** A snippet in pieces, with the matches marked. */
export function cutAtMarks({ snippet, marks }: Pick<RunMatch, 'snippet' | 'marks'>) {
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
