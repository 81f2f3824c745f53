import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ROOT } from '../../scripts/lib/build.ts'

test('the pictures in documents are of the screens as they are', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/screens.ts', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect({ status, stderr, checked: stdout.match(/as in its picture/g)?.length ?? 0 }).toEqual({
    status: 0,
    stderr: '',
    checked: expect.toSatisfy((count: number) => count > 1),
  })
})
