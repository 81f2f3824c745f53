import type { PaginationEvent } from '../../src/shared/contract/pagination.ts'
import type { TestApp } from './test-app.ts'

/** All events of one pagination test. */
export async function eventsOf(app: Pick<TestApp, 'call'>, body: object): Promise<PaginationEvent[]> {
  const answer = await app.call('POST', '/v1/pagination-tests', body)
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PaginationEvent)
}
