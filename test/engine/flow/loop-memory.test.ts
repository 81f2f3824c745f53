import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../../helpers/run-command.ts'

const PROGRAM = join(import.meta.dirname, '../../helpers/loop-growth.ts')

it('iterations that are not shown leave hardly any garbage for major collections', async () => {
  const ended = await runCommand(process.execPath, [
    '--initial-old-space-size=1024',
    '--max-semi-space-size=8',
    PROGRAM,
  ])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(Number(ended.stdout)).toBeLessThan(100)
})
