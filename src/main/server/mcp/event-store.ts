import type { EventId, EventStore, StreamId } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

const MOST_EVENTS = 200
const MOST_CHARACTERS = 4_000_000

/** The latest messages of a session, for a client whose connection broke: it gets what it missed. */
export function createEventStore(): EventStore {
  const events: { id: EventId; stream: StreamId; message: JSONRPCMessage; size: number }[] = []
  let stored = 0
  let size = 0
  return {
    async storeEvent(stream, message) {
      const event = { id: String(++stored), stream, message, size: JSON.stringify(message).length }
      events.push(event)
      size += event.size
      while (events.length > 1 && (events.length > MOST_EVENTS || size > MOST_CHARACTERS))
        size -= events.shift()?.size ?? 0
      return event.id
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.stream,
    async replayEventsAfter(last, { send }) {
      const at = events.findIndex(({ id }) => id === last)
      const stream = events[at]?.stream ?? ''
      for (const event of events.slice(at + 1)) {
        // The first event of a stream is empty and only carries its ID.
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message)
      }
      return stream
    },
  }
}
