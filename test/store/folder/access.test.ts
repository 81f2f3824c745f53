import { chmodSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AccessSystem, isOpenToOthers, keepOthersOut } from '../../../src/main/store/folder/access.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

/**
 * The output of `icacls /save` for a folder on a second drive, which is the same on a German Windows as on any other.
 */
const OPEN = 'D:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIIOID;SDGXGWGR;;;AU)(A;OICIID;0x1200a9;;;BU)'
const PRIVATE = 'D:PAI(A;OICI;FA;;;S-1-5-21-1-2-3-1001)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(D;;FA;;;WD)'

function aWindows(list: string | null) {
  const calls: string[] = []
  const system: AccessSystem = {
    platform: 'win32',
    home: 'C:\\Users\\Ada',
    run(program, args) {
      const [path = '', option = '', file = ''] = args
      if (program === 'whoami') return '"box\\ada","S-1-5-21-1-2-3-1001"\r\n'
      if (list === null) throw new Error('icacls ended with 1')
      if (option === '/save') writeFileSync(file, `data\r\n${list}\r\n`, 'utf16le')
      else calls.push(args.slice(1).join(' '))
      return `${path}\r\n`
    },
  }
  return { system, calls }
}

describe('access to a folder', () => {
  it('is open on Windows if the ACL lets a group of all users in', () => {
    const openOn = (path: string, list: string | null) => isOpenToOthers(path, aWindows(list).system)
    expect({
      drive: openOn('D:\\Millrace', OPEN),
      closed: openOn('D:\\Millrace', PRIVATE),
      untold: openOn('D:\\Millrace', null),
      profile: openOn('c:\\users\\ada\\AppData\\Local\\Millrace\\Data', OPEN),
      nextProfile: openOn('C:\\Users\\Ada2', OPEN),
      share: openOn('\\\\server\\ada', OPEN),
    }).toEqual({
      drive: true,
      closed: false,
      untold: false,
      profile: false,
      nextProfile: true,
      share: true,
    })
  })

  it('is removed for others on Windows, except on a whole drive', () => {
    const callsFor = (path: string, list: string | null) => {
      const { system, calls } = aWindows(list)
      keepOthersOut(path, system)
      return calls
    }
    expect({
      folder: callsFor('D:\\Millrace', OPEN),
      closed: callsFor('D:\\Millrace', PRIVATE),
      profile: callsFor('C:\\Users\\Ada\\millrace', OPEN),
      drive: callsFor('D:\\', OPEN),
      noLists: callsFor('E:\\Millrace', null),
    }).toEqual({
      folder: [
        '/grant:r *S-1-5-21-1-2-3-1001:(OI)(CI)F *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F',
        '/inheritance:r',
      ],
      closed: [],
      profile: [],
      drive: [],
      noLists: [],
    })
  })

  it('is decided by mode bits elsewhere', () => {
    const dir = temporaryFolder()
    const modes = [0o700, 0o750, 0o704].map((mode) => {
      chmodSync(dir, mode)
      return isOpenToOthers(dir, { ...aWindows(null).system, platform: 'darwin' })
    })
    expect(modes).toEqual([false, true, true])
  })
})
