import { expect, it } from 'vitest'
import { createFigureRepository } from '../../../src/main/store/records/figures.ts'
import { defineBins } from '../../../src/main/store/sql/bins.ts'
import { aDatabase, migrateTo } from '../../helpers/older-database.ts'

it('the history of an older database is counted part by part, the newest first, and what ends meanwhile once', () => {
  const db = aDatabase({ version: 36 })
  const addRun =
    db.prepare(`INSERT INTO flow_runs (key, id, flow_key, flow_version, title, trigger, status, created_at,
    finished_at, duration_ms, attempt) VALUES (?, 'r', 1, 1, '', ?, ?, ?, ?, 10, 1)`)
  db.exec(`INSERT INTO flows (key, id, name, description, tags, status, settings, version, created_at, updated_at)
      VALUES (1, 'f', 'n', '', '[]', 'active', '{}', 1, 0, 0);
    INSERT INTO webhook_requests (key, id, flow_key, at, status, method, path, size, client, has_run, duration_ms)
      VALUES (4502, 'q', NULL, 4502, 404, 'POST', '/', 0, '127.0.0.1', 0, 1)`)
  for (let key = 1; key <= 4_500; key++) addRun.run(key, key === 7 ? 'test' : 'webhook', 'success', key, key)
  addRun.run(4_501, 'webhook', 'running', 4_501, null)
  addRun.run(4_503, 'webhook', 'running', 4_503, null)
  migrateTo(37, db)
  defineBins(db)
  const { repository, commitHook } = createFigureRepository(db, () => Infinity)
  const end = db.prepare(`UPDATE flow_runs SET status = 'error', finished_at = 5000 WHERE key = ?`)
  const counts = () => {
    const query = { flowId: null, from: 0, until: 86_400_000, bucket: 'day' } as const
    const of = (what: 'runs' | 'webhooks') =>
      repository.read({ of: what, ...query }).map(({ status, count }) => `${count} ${status}`)
    return [...of('runs'), ...of('webhooks'), repository.filledFrom()]
  }
  end.run(4_501) // not counted yet
  addRun.run(4_504, 'webhook', 'success', 4_504, 4_504) // counted at once
  commitHook.writeInCommit()
  const seen = [counts()]
  for (let isMore = true; isMore;) {
    isMore = repository.fill()
    if (seen.length === 1) end.run(4_503) // its part has been counted
    seen.push(counts())
  }
  expect(seen).toEqual([
    ['1 success', 4_503],
    ['1 error', '1998 success', '1 error', '1 4xx', 2_503],
    ['2 error', '3998 success', '1 4xx', 503],
    ['2 error', '4500 success', '1 4xx', null],
  ])
})
