/** The server side of mysql2. Anybody can log in, and the test decides what happens to statements. */
import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'mysql2'

export interface MysqlServer {
  readonly url: string
  close(): Promise<void>
}

interface Session {
  readonly stream: Socket
  readonly sequenceId: number
  serverHandshake(options: object): void
  writeOk(values?: object): void
  writePacket(packet: unknown): void
  _resetSequenceId(): void
  on(event: string, listener: (...args: never[]) => void): void
}

/** `onStatement` gets each statement that is prepared, and the connection it arrived on. */
export async function startMysqlServer(
  onStatement: (statement: string, session: Session) => void,
): Promise<MysqlServer> {
  const server = createServer((connection) => {
    const session = connection as unknown as Session
    session.on('error', () => {})
    session.serverHandshake({
      protocolVersion: 10,
      serverVersion: '8.0.0',
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: 0xff_ff_ff & ~0x800 & ~0x20,
    })
    session.on('query', () => session.writeOk())
    session.on('stmt_prepare', (statement: string) => onStatement(statement, session))
  })
  server.listen(0)
  const inner = (server as unknown as { _server: Server })._server
  if (!inner.listening) await once(inner, 'listening')
  const { port } = inner.address() as AddressInfo
  return {
    url: `mysql://127.0.0.1:${port}/shop`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
