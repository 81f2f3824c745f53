/**
 * Loads the code of a screen. While the program does not answer, it waits for it: the screen that is shown stays, and
 * with it all that was typed there, where a load that fails would have the router fetch the whole page anew.
 *
 * @param load the import of the screen
 * @throws what the import throws although the program answers: after an update the code has another name, and only the
 *   page anew knows it
 */
export async function loadScreen<T>(
  load: () => Promise<T>,
  { answers = programAnswers, wait = pause }: Partial<Surroundings> = {},
): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await answers()) return await load().catch(() => Promise.reject(error as Error))
      await wait()
    }
  }
}

interface Surroundings {
  readonly answers: () => Promise<boolean>
  readonly wait: () => Promise<void>
}

const programAnswers = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

const AGAIN_MS = 1_000

const pause = () => new Promise<void>((resolve) => setTimeout(resolve, AGAIN_MS))
