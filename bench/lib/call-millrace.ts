import type { StartedMillrace } from './millrace.ts'

/**
 * Calls the API with the session's bearer.
 *
 * @throws Error with the response unless it is a success
 */
export async function callMillrace(
  { port, bearer }: Pick<StartedMillrace, 'port' | 'bearer'>,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text === '' ? null : (JSON.parse(text) as unknown)
}
