/** The writer thread: performs batches of statements on a separate connection, each in one commit. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { say } from '../../../shared/contract/base/message.ts'
import { createCheckpointer } from '../commit/checkpoint.ts'
import { packSteps } from '../history/history-parts.ts'
import { createStateFormat } from '../history/state-format.ts'
import { createSecretBox, toDataKey } from '../secrets/secret-box.ts'
import { openFurther } from '../open/database.ts'
import { writeErrorKind } from '../sql/errors.ts'
import { command, type SqlValue } from '../sql/statement.ts'
import { type Batch, batchIn, readBatch } from './batch.ts'
import { PHASE, STATE, type ThreadMessage, type ThreadOptions, type ThreadReply } from './messages.ts'

const { database, dataDir, keys, port, memory, state } = workerData as ThreadOptions

function tell(slot: number, value: number): void {
  Atomics.store(state, slot, value)
  Atomics.notify(state, slot)
}

function work(): void {
  const db = openFurther(database)
  const checkpointer = createCheckpointer(db)
  const box = createSecretBox({
    keys: keys.map(toDataKey),
    unreadable: 0,
    problem: say('this machine has no master key'),
  })
  const states = createStateFormat(box, dataDir)
  const making = {
    seal: (runId: string, text: string) => states.seal(runId, text) as SqlValue,
    pack: (text: string) => packSteps(text) as readonly [SqlValue, SqlValue],
  }
  const begin = command(db, 'BEGIN IMMEDIATE')
  const commit = command(db, 'COMMIT')
  const rollback = command(db, 'ROLLBACK')
  const statements: ReturnType<typeof command>[] = []

  function perform(n: number, batch: Batch): void {
    let reply: ThreadReply = { n }
    try {
      begin.run()
      readBatch(batch, making, (number, values) => void statements[number]?.run(...values))
      commit.run()
    } catch (error) {
      if (db.inTransaction) rollback.run()
      reply = { n, failed: { kind: writeErrorKind(error), message: String(error) } }
    }
    port.postMessage(reply)
    tell(STATE.done, n)
    checkpointer.afterCommit()
  }

  tell(STATE.phase, PHASE.open)
  port.postMessage('open' satisfies ThreadReply)
  let isOpen = true
  let latest = 0
  for (let calls = 0; isOpen;) {
    Atomics.wait(state, STATE.calls, calls)
    calls = Atomics.load(state, STATE.calls)
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
      const message = next.message as ThreadMessage
      if (message === 'move_log') checkpointer.afterCommit()
      else if (message === 'close') isOpen = false
      else if ('batch' in message) perform(message.n, message.batch)
      else statements.push(...message.statements.map((sql) => command(db, sql)))
    }
    const n = Atomics.load(state, STATE.batch)
    if (n === latest) continue
    latest = n
    perform(n, batchIn(memory))
  }
  db.close()
  tell(STATE.phase, PHASE.closed)
  port.close()
}

// Starts unless the store has been closed in the meantime.
if (Atomics.compareExchange(state, STATE.phase, PHASE.begun, PHASE.opening) === PHASE.begun) work()
