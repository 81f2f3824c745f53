/**
 * What the packages of the desktop app contain: electron-builder packs the built program for each platform, into a
 * folder that looks like Electron. Installers, signatures and what Electron does with them can only be tested on the
 * platforms themselves.
 */
import { closeSync, globSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageConfig } from '../../packaging/electron-builder.config.ts'
import { installTool } from '../../scripts/lib/tools.ts'
import { JS_FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { readFuses } from '../helpers/electron-folder.ts'
import { createHome } from '../helpers/program.ts'
import { runCommand } from '../helpers/run-command.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const MB = 1_000_000

const TARGETS = [
  { platform: 'linux', arch: 'x64', folder: 'linux-unpacked', binary: 'millrace-desktop' },
  { platform: 'win32', arch: 'arm64', folder: 'win-arm64-unpacked', binary: 'Millrace.exe' },
  {
    platform: 'darwin',
    arch: 'arm64',
    folder: 'mac-arm64/Millrace.app/Contents',
    binary: 'Frameworks/Electron Framework.framework/Electron Framework',
  },
] as const

const home = createHome()
const output = join(home.folder, 'dist')
beforeAll(async () => {
  const script = join(installTool('packaging'), 'pack-stand-ins.ts')
  const { code, stdout, stderr } = await runCommand(process.execPath, [script, home.folder], { cwd: ROOT })
  if (code !== 0) throw new Error(`electron-builder ended with ${code}: ${stdout}${stderr}`)
})
afterAll(() => home.remove())

interface AsarFolder {
  readonly files: Readonly<Record<string, AsarFolder & { readonly unpacked?: boolean }>>
}

/** The files of an archive, which begins with their names as JSON. */
function filesOfAsar(path: string): readonly string[] {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(16)
  readSync(file, head)
  const json = Buffer.alloc(head.readUInt32LE(12))
  readSync(file, json, 0, json.length, 16)
  closeSync(file)
  const walk = ({ files }: AsarFolder, before: string): readonly string[] =>
    Object.entries(files).flatMap(([name, entry]) =>
      'files' in entry ? walk(entry, `${before}${name}/`) : [`${before}${name}`],
    )
  return walk(JSON.parse(json.toString()) as AsarFolder, '')
}

const resourcesOf = ({ platform, folder }: (typeof TARGETS)[number]) =>
  join(output, folder, platform === 'darwin' ? 'Resources' : 'resources')

test.each(TARGETS)(
  '$platform $arch has the built program, its own native code, and nothing else',
  (target) => {
    const resources = resourcesOf(target)
    const packed = filesOfAsar(join(resources, 'app.asar'))
    const native = (paths: readonly string[]) => paths.filter((path) => path.endsWith('.node'))
    const MEANT =
      /^(?:package\.json|LICENSE|out\/(?:main|preload|renderer)\/.+|resources\/(?:(?:connectors|samples)\/[\w-]+\.json|desktop\/[\w@]+\.png)|docs\/(?:(?:explain|how-to|reference)\/)?[\w-]+\.md|node_modules\/better-sqlite3\/(?:package\.json|LICENSE|lib\/.+\.js|prebuilds\/.+))$/
    expect({
      strange: packed.filter((path) => !MEANT.test(path) || /\.(?:map|tsx?|c|h|cpp|stamp)$/.test(path)),
      missing: [
        'out/main/index.js',
        'out/main/history-thread.js',
        'out/main/import-worker.js',
        'out/main/script-worker.js',
        'out/main/n8n-runtime.js',
        'out/main/quickjs.wasm',
        'out/main/THIRD-PARTY-NOTICES.md',
        'out/preload/index.cjs',
        'out/renderer/index.html',
        'resources/samples/receive-an-order.json',
        'docs/reference/steps.md',
      ].filter((path) => !packed.includes(path)),
      native: native(packed),
      unpacked: native(globSync('**/*', { cwd: join(resources, 'app.asar.unpacked') })).map((path) =>
        path.replaceAll('\\', '/'),
      ),
      isSmall: statSync(join(resources, 'app.asar')).size < 20 * MB,
    }).toEqual({
      strange: [],
      missing: [],
      native: [`node_modules/better-sqlite3/prebuilds/${target.platform}-${target.arch}.node`],
      unpacked: [`node_modules/better-sqlite3/prebuilds/${target.platform}-${target.arch}.node`],
      isSmall: true,
    })
  },
)

test.each(TARGETS)('$platform $arch has the fuses of a hardened app', ({ folder, binary }) => {
  expect(readFuses(readFileSync(join(output, folder, binary)))).toEqual({
    RunAsNode: false,
    EnableCookieEncryption: true,
    EnableNodeOptionsEnvironmentVariable: false,
    EnableNodeCliInspectArguments: false,
    EnableEmbeddedAsarIntegrityValidation: true,
    OnlyLoadAppFromAsar: true,
    LoadBrowserProcessSpecificV8Snapshot: false,
    GrantFileProtocolExtraPrivileges: false,
  })
})

test('Electron is packed with its licences and two languages', () => {
  const files = globSync('**/*', { cwd: join(output, 'linux-unpacked') })
  expect(files.filter((path) => /licen[sc]es?\.\w|\.pak$/i.test(path)).toSorted()).toEqual([
    'LICENSE.electron.txt',
    'LICENSES.chromium.html',
    join('locales', 'de.pak'),
    join('locales', 'en-US.pak'),
  ])
})

test("the macOS package declares Millrace's links and the minimum system version", () => {
  const plist = readFileSync(join(output, 'mac-arm64/Millrace.app/Contents/Info.plist'), 'utf8')
  const valueOf = (key: string) =>
    new RegExp(`<key>${key}</key>\\s*(?:<array>\\s*)?<string>([^<]*)`).exec(plist)?.[1]
  expect({
    scheme: valueOf('CFBundleURLSchemes'),
    system: valueOf('LSMinimumSystemVersion'),
    id: valueOf('CFBundleIdentifier'),
    hasIntegrity: plist.includes('ElectronAsarIntegrity'),
  }).toEqual({ scheme: 'millrace', system: '13.0', id: 'dev.millrace.desktop', hasIntegrity: true })
})

test('the menu entry passes the flags and keeps the sandbox, the windows belong to it, and deb brings the AppArmor profile', () => {
  const { linux, deb, portable } = packageConfig({})
  const { desktopName } = JSON.parse(read('package.json')) as { desktopName: string }
  const templates = 'packaging/node_modules/app-builder-lib/templates/linux'
  expect({
    desktopName,
    linux: [linux?.syncDesktopName, `${linux?.executableName}.desktop`],
    arguments: linux?.executableArgs,
    // These are electron-builder's own, which each deb has unless it names others.
    own: [deb?.appArmorProfile, deb?.afterInstall, linux?.target],
    profile: [
      read(`${templates}/apparmor-profile.tpl`).includes('userns,'),
      read(`${templates}/after-install.tpl`).includes('apparmor_parser --replace'),
    ],
    // NSIS creates the shortcuts on Windows, with one argument in quotation marks.
    shortcuts: read('packaging/desktop/installer.nsh').includes(`'"${JS_FLAGS}"'`),
    // Otherwise two starts share a folder, which the first one deletes.
    portable: portable?.unpackDirName,
  }).toEqual({
    desktopName: 'millrace-desktop.desktop',
    linux: [true, 'millrace-desktop.desktop'],
    arguments: [`"${JS_FLAGS}"`],
    own: [undefined, undefined, ['AppImage', 'deb']],
    profile: [true, true],
    shortcuts: true,
    portable: true,
  })
})

test('an unsigned package says so in its name, and none is partly signed', () => {
  const namesOf = (env: NodeJS.ProcessEnv) => {
    const { mac, win, portable, linux } = packageConfig(env)
    return {
      mac: mac?.artifactName,
      windows: win?.artifactName,
      portable: portable?.artifactName,
      linux: linux?.artifactName,
      notarize: mac?.notarize,
      identity: mac?.identity,
    }
  }
  const NAME = 'millrace-${version}'
  const apple = { APPLE_API_KEY: 'key.p8', APPLE_API_KEY_ID: 'id', APPLE_API_ISSUER: 'issuer' }
  expect({
    without: namesOf({}),
    with: namesOf({ CSC_LINK: 'mac.p12', WIN_CSC_LINK: 'win.pfx', ...apple }),
  }).toEqual({
    without: {
      mac: `${NAME}-macos-\${arch}-unsigned.\${ext}`,
      windows: `${NAME}-windows-\${arch}-setup-unsigned.\${ext}`,
      portable: `${NAME}-windows-\${arch}-portable-unsigned.\${ext}`,
      linux: `${NAME}-linux-\${arch}.\${ext}`,
      notarize: false,
      identity: null,
    },
    with: {
      mac: `${NAME}-macos-\${arch}.\${ext}`,
      windows: `${NAME}-windows-\${arch}-setup.\${ext}`,
      portable: `${NAME}-windows-\${arch}-portable.\${ext}`,
      linux: `${NAME}-linux-\${arch}.\${ext}`,
      notarize: true,
      identity: undefined,
    },
  })
})
