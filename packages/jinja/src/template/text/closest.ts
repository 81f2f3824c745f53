/** The known name that a wrong one probably means, for "Did you mean". */
export function closest(wrong: string, known: Iterable<string>): string | undefined {
  return nearest(wrong, known)[0]
}

/**
 * The known names that are most similar to a wrong one. Several if they are equally similar, none if nothing
 * is similar.
 */
export function nearest(wrong: string, known: Iterable<string>): readonly string[] {
  const wanted = wrong.toLowerCase()
  let best: string[] = []
  let least = Math.max(1, Math.floor(wrong.length / 3))
  for (const name of known) {
    if (name === wrong || name.length > 64 || Math.abs(name.length - wrong.length) > least) continue
    const other = name.toLowerCase()
    const distance = other === wanted ? 0 : editDistance(wanted, other, least + 1)
    if (distance < least) [best, least] = [[name], distance]
    else if (distance === least && !best.includes(name)) best.push(name)
  }
  return best
}

/** The number of letters to insert, drop, replace or swap; stops early above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (a.length > 64) return limit
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1))
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? cost) + 1)
      next.push(cost)
    }
    if (Math.min(...next) >= limit) return limit
    before = row
    row = next
  }
  return row[b.length] ?? limit
}
