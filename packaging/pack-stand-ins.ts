/**
 * Packs the built program for every platform into stand-ins for Electron, below the folder in its argument. It is a
 * separate process, because electron-builder generates code from strings.
 */
import { join } from 'node:path'
import { Arch, build, Platform, type Configuration } from 'electron-builder'
import { packageConfig } from './electron-builder.config.ts'
import { writeElectronFolder } from '../test/helpers/electron-folder.ts'

const folder = process.argv[2] ?? ''
const TARGETS = {
  linux: Platform.LINUX.createTarget('dir', Arch.x64),
  win32: Platform.WINDOWS.createTarget('dir', Arch.arm64),
  darwin: Platform.MAC.createTarget('dir', Arch.arm64),
}

for (const platform of ['linux', 'win32', 'darwin'] as const) {
  const electronDist = join(folder, platform)
  writeElectronFolder(electronDist, platform)
  await build({
    targets: TARGETS[platform],
    projectDir: join(import.meta.dirname, '..'),
    publish: 'never',
    config: configFor(platform, electronDist),
  })
}

/** The unchanged configuration, except for folders and for the Windows resources, which the stand-in doesn't have. */
function configFor(platform: keyof typeof TARGETS, electronDist: string): Configuration {
  const config = packageConfig({ GITHUB_REPOSITORY: 'somebody/millrace' })
  return {
    ...config,
    electronDist,
    directories: { ...config.directories, output: join(folder, 'dist') },
    win: { ...config.win, signAndEditExecutable: false },
    disableAsarIntegrity: platform === 'win32',
  }
}
