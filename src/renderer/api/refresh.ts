/**
 * Turns a burst of calls into few: the work never overlaps itself, and calls that arrive while it runs or during the
 * pause after it become one more run. Failures are the work's own business.
 */
export function createRefresher(work: () => Promise<void>, pauseMs = 200, wait = sleep): () => void {
  let state: 'idle' | 'busy' | 'again' = 'idle'

  async function turn(): Promise<void> {
    state = 'busy'
    await work()
    await wait(pauseMs)
    if ((state as string) === 'again') return await turn()
    state = 'idle'
  }

  return () => {
    if (state === 'idle') void turn()
    else state = 'again'
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
