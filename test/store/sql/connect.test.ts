import { join } from 'node:path'
import { expect, it } from 'vitest'
import { connect, syncPragmas } from '../../../src/main/store/sql/connect.ts'
import { pragma } from '../../../src/main/store/sql/statement.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

it('empties the memory of the drive on macOS, where fsync does not', () => {
  const settings = (['darwin', 'linux', 'win32'] as const).map((platform) => {
    const db = connect(join(temporaryFolder(), 'some.db'), { creates: true, platform })
    try {
      return [platform, pragma(db, 'fullfsync'), pragma(db, 'checkpoint_fullfsync')]
    } finally {
      db.close()
    }
  })
  expect({ settings, elsewhere: syncPragmas('linux') }).toEqual({
    settings: [
      ['darwin', 1, 1],
      ['linux', 0, 0],
      ['win32', 0, 0],
    ],
    elsewhere: [],
  })
})
