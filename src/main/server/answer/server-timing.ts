import type { ServerResponse } from 'node:http'

/** Adds `Server-Timing` with the time until the response's headers, which browsers show among the request's timings. */
export function addServerTiming(response: ServerResponse): void {
  const begun = performance.now()
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  response.writeHead = (...args: unknown[]) => {
    response.setHeader('server-timing', `total;dur=${(performance.now() - begun).toFixed(1)}`)
    return writeHead(...args)
  }
}
