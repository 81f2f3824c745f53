/** The known name that a wrong one probably means, for "Did you mean". */
export function closest(wrong: string, known: Iterable<string>): string | undefined {
  const wanted = wrong.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1
  for (const name of known) {
    if (name.length > 64 || Math.abs(name.length - wrong.length) >= bestDistance) continue
    const distance =
      name.toLowerCase() === wanted ? 0 : editDistance(wanted, name.toLowerCase(), bestDistance)
    if (distance < bestDistance && name !== wrong) [best, bestDistance] = [name, distance]
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
