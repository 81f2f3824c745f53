import type { Database } from 'better-sqlite3'
import type { StoredTest } from '../../../shared/contract/flow-tests.ts'
import { toIso, toTime } from '../sql/codec.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export type FlowTestRepository = ReturnType<typeof createFlowTestRepository>

interface TestRow extends Omit<StoredTest, 'created_at' | 'updated_at'> {
  readonly created_at: number
  readonly updated_at: number
}

/** A test with its text. */
export interface KeptTest extends StoredTest {
  readonly content: string
}

export function createFlowTestRepository(db: Database) {
  const shown = 'f.id AS flow_id, t.name, t.calls, t.revision, t.created_at, t.updated_at'
  const ofFlow = 'flow_tests t JOIN flows f ON f.key = t.flow_key WHERE f.id = ?'
  const list = rows<TestRow>(db, `SELECT ${shown} FROM ${ofFlow} ORDER BY t.name`)
  const get = rows<TestRow & { content: string }>(
    db,
    `SELECT ${shown}, t.content FROM ${ofFlow} AND t.name = ?`,
  )
  const contents = scalar<string>(db, `SELECT t.content FROM ${ofFlow} ORDER BY t.name`)
  const bytes = scalar<number | null>(db, `SELECT sum(octet_length(t.content)) FROM ${ofFlow}`)
  const insert = command(
    db,
    `INSERT INTO flow_tests (flow_key, name, content, calls, revision, created_at, updated_at)
     SELECT key, ?, ?, ?, ?, ?, ? FROM flows WHERE id = ?`,
  )
  const update = command(
    db,
    `UPDATE flow_tests SET name = ?, content = ?, calls = ?, revision = ?, updated_at = ?
     WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND name = ?`,
  )
  const remove = command(
    db,
    'DELETE FROM flow_tests WHERE flow_key = (SELECT key FROM flows WHERE id = ?) AND name = ?',
  )
  const toTest = <T extends TestRow>(found: T) => ({
    ...found,
    created_at: toIso(found.created_at),
    updated_at: toIso(found.updated_at),
  })

  return {
    /** Sorted by name. */
    list: (flowId: string): readonly StoredTest[] => list.all(flowId).map(toTest),
    get(flowId: string, name: string): KeptTest | null {
      const found = get.get(flowId, name)
      return found === undefined ? null : toTest(found)
    },
    /** The texts of all tests of a flow, by name. */
    contentsOf: (flowId: string): readonly string[] => contents.all(flowId),
    /** The size of all tests of a flow. */
    bytesOf: (flowId: string): number => bytes.get(flowId) ?? 0,
    insert({ flow_id: flow, name, content, calls, revision, created_at, updated_at }: KeptTest): void {
      insert.run(name, content, calls, revision, toTime(created_at), toTime(updated_at), flow)
    },
    /** Replaces the test of that name. */
    update(before: string, { flow_id: flow, name, content, calls, revision, updated_at }: KeptTest): void {
      update.run(name, content, calls, revision, toTime(updated_at), flow, before)
    },
    /** False if there is no such test. */
    delete: (flowId: string, name: string) => remove.run(flowId, name) > 0,
  }
}
