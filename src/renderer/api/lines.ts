/** The lines of a body as they arrive. Leaving the loop early cancels the body, which aborts the request. */
export async function* readLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      yield* lines.filter((line) => line.trim() !== '')
    }
    if (rest.trim() !== '') yield rest
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
