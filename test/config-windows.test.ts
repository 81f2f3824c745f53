/** The configuration with the path rules of Windows. */
import { expect, test } from 'vitest'
import { readConfig } from '../src/main/host/config.ts'

const HOME = 'C:\\Users\\Ada'
const LOCAL = `${HOME}\\AppData\\Local`
const KEY = `${LOCAL}\\Millrace\\Key\\master.key`

function foldersOf(dataDir: string | undefined, environment: NodeJS.ProcessEnv = {}, home = HOME) {
  try {
    const config = readConfig({ platform: 'win32', home, environment, arguments: { dataDir } })
    return [config.dataDir, config.keyFile]
  } catch (error) {
    return (error as Error).message
  }
}

test("folders are in the user's profile, whatever its name", () => {
  expect({
    usual: foldersOf(undefined),
    moved: foldersOf(undefined, { LOCALAPPDATA: 'D:\\Profiles\\Zoë & Söhne (2)\\Local' }),
    share: foldersOf(undefined, { LOCALAPPDATA: '\\\\server\\profiles$\\ada' }),
    odd: foldersOf(undefined, {}, "C:\\Users\\O'Neil %USERNAME%"),
  }).toEqual({
    usual: [`${LOCAL}\\Millrace\\Data`, KEY],
    moved: [
      'D:\\Profiles\\Zoë & Söhne (2)\\Local\\Millrace\\Data',
      'D:\\Profiles\\Zoë & Söhne (2)\\Local\\Millrace\\Key\\master.key',
    ],
    share: [
      '\\\\server\\profiles$\\ada\\Millrace\\Data',
      '\\\\server\\profiles$\\ada\\Millrace\\Key\\master.key',
    ],
    odd: [
      "C:\\Users\\O'Neil %USERNAME%\\AppData\\Local\\Millrace\\Data",
      "C:\\Users\\O'Neil %USERNAME%\\AppData\\Local\\Millrace\\Key\\master.key",
    ],
  })
})

test.each([
  ['D:\\Millrace', ['D:\\Millrace', KEY]],
  ['d:/millrace/data/', ['d:\\millrace\\data', KEY]],
  ['D:\\a\\..\\b', ['D:\\b', KEY]],
  ['\\\\server\\share\\millrace', ['\\\\server\\share\\millrace', KEY]],
  ['\\\\?\\D:\\long', ['\\\\?\\D:\\long', KEY]],
  // The key is never in the data folder, however its name is written.
  [`${LOCAL}\\Millrace`, [`${LOCAL}\\Millrace`, `${LOCAL}\\Millrace.key`]],
  ['c:\\USERS\\ada', ['c:\\USERS\\ada', 'c:\\USERS\\ada.key']],
  [
    'C:/users/ada/appdata/local/MILLRACE/key',
    ['C:\\users\\ada\\appdata\\local\\MILLRACE\\key', 'C:\\users\\ada\\appdata\\local\\MILLRACE\\key.key'],
  ],
  [`${LOCAL}\\Millrace\\Ke`, [`${LOCAL}\\Millrace\\Ke`, KEY]],
  ['D:\\', 'The data folder is D:\\, a whole disk; choose a folder on it with --data-dir'],
  [
    '\\\\server\\share\\',
    'The data folder is \\\\server\\share\\, a whole disk; choose a folder on it with --data-dir',
  ],
])('--data-dir %s', (dataDir, expected) => {
  expect(foldersOf(dataDir)).toEqual(expected)
})
