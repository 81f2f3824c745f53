/**
 * Loads the code of a screen. While the server doesn't respond, it waits: the current screen stays, with everything
 * typed there, whereas a failed load would make the router reload the whole page.
 *
 * @param load the import of the screen
 * @throws the error of the import if the server does respond: after an update the file has another name, which only a
 * reloaded page knows
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
