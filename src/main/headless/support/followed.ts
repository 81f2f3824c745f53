import { eventsRoute, type Noun } from '../../../shared/contract/host.ts'
import type { HostClient } from './host-client.ts'

/** Reads at once, and again after each change to these kinds of records, for as long as Millrace runs. */
export async function* followed<T>(
  host: HostClient,
  nouns: readonly Noun[],
  read: () => Promise<T>,
  readerGone: AbortSignal,
): AsyncGenerator<T, void, void> {
  for await (const { type, noun } of host.stream(eventsRoute, readerGone)) {
    if (type === 'ready' || (noun !== null && nouns.includes(noun))) yield await read()
  }
}
