/** Folders that a packager takes for Electron's own download. Nothing in them runs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** In Electron's binary, this precedes its fuses, each of which is a byte: `1` means on. */
const SENTINEL = Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX')
const FUSES = [
  'RunAsNode',
  'EnableCookieEncryption',
  'EnableNodeOptionsEnvironmentVariable',
  'EnableNodeCliInspectArguments',
  'EnableEmbeddedAsarIntegrityValidation',
  'OnlyLoadAppFromAsar',
  'LoadBrowserProcessSpecificV8Snapshot',
  'GrantFileProtocolExtraPrivileges',
]
/** As in Electron, cookie encryption and loading only from the archive are off. */
const WIRE = Buffer.concat([SENTINEL, Buffer.from([1, FUSES.length]), Buffer.from('10110001')])

export function writeElectronFolder(folder: string, platform: 'linux' | 'win32' | 'darwin'): void {
  const write = (path: string, content: string | Buffer = '') => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { mode: 0o755 })
  }
  write('LICENSE')
  write('LICENSES.chromium.html')
  if (platform !== 'darwin') {
    write(platform === 'linux' ? 'electron' : 'electron.exe', WIRE)
    for (const language of ['de', 'en-US', 'fr']) write(`locales/${language}.pak`)
    mkdirSync(join(folder, 'resources'))
    return
  }
  const app = (path: string, name: string) => {
    write(`${path}/Contents/Info.plist`, plist(name))
    write(`${path}/Contents/MacOS/${name}`)
  }
  app('Electron.app', 'Electron')
  for (const kind of ['', ' (GPU)', ' (Plugin)', ' (Renderer)'])
    app(`Electron.app/Contents/Frameworks/Electron Helper${kind}.app`, `Electron Helper${kind}`)
  const framework = 'Electron.app/Contents/Frameworks/Electron Framework.framework'
  write(`${framework}/Electron Framework`, WIRE)
  for (const language of ['de', 'en', 'fr']) {
    write(`${framework}/Versions/A/Resources/${language}.lproj/locale.pak`)
    write(`Electron.app/Contents/Resources/${language}.lproj/locale.pak`)
  }
}

/** Whether each fuse of a packed binary is on. */
export function readFuses(binary: Buffer): Record<string, boolean> {
  const at = binary.indexOf(SENTINEL) + SENTINEL.length + 2
  return Object.fromEntries(FUSES.map((name, index) => [name, binary[at + index] === 0x31]))
}

const plist = (name: string) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>CFBundleName</key><string>${name}</string>
<key>CFBundleExecutable</key><string>${name}</string>
<key>CFBundleIdentifier</key><string>com.github.Electron</string>
</dict></plist>`
