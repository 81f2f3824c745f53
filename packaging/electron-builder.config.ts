/** What the packages of the desktop app contain, how they are named, and how they are signed if there are keys. */
import type { Configuration } from 'electron-builder'
import { JS_FLAGS } from '../src/main/host/machine/process-flags.ts'

const NAME = 'millrace-${version}'

/** Reads the environment: the signing keys, as electron-builder names them, and the repository with the releases. */
export function packageConfig(env: NodeJS.ProcessEnv): Configuration {
  const { signs, notarizes } = keysIn(env)
  const [owner, repo] = (env.GITHUB_REPOSITORY ?? '').split('/')
  return {
    appId: 'dev.millrace.desktop',
    productName: 'Millrace',
    copyright: 'Copyright the Millrace contributors',
    directories: { output: 'dist', buildResources: 'packaging/desktop' },
    // Where updates come from. A package without this looks for none.
    publish: owner && repo ? { provider: 'github', owner, repo } : null,
    asar: true,
    // The system loads native code from a separate file.
    asarUnpack: ['node_modules/better-sqlite3/prebuilds/*.node'],
    // better-sqlite3 brings native code that suits every Electron.
    npmRebuild: false,
    extraMetadata: {
      homepage: owner && repo ? `https://github.com/${owner}/${repo}` : 'https://millrace.invalid',
    },
    electronLanguages: ['en', 'de'],
    electronFuses: {
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableCookieEncryption: true,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      // The page is served over HTTP.
      grantFileProtocolExtraPrivileges: false,
      // Apple's processors run nothing whose signature, even one without identity, doesn't match.
      resetAdHocDarwinSignature: process.platform === 'darwin',
    },
    protocols: [{ name: 'Millrace', schemes: ['millrace'] }],
    linux: {
      files: filesFor('linux'),
      target: ['AppImage', 'deb'],
      artifactName: `${NAME}-linux-\${arch}.\${ext}`,
      executableName: 'millrace-desktop',
      // These go into the menu entry. Without them, an AppImage's entry would turn off the sandbox.
      executableArgs: [`"${JS_FLAGS}"`],
      // So that the windows belong to the menu entry, whose name is in package.json.
      syncDesktopName: true,
      category: 'Development',
      synopsis: 'Local-first automation',
      maintainer: 'The Millrace contributors <packages@millrace.invalid>',
    },
    win: {
      files: filesFor('win32'),
      target: ['nsis', 'portable'],
      artifactName: `${NAME}-windows-\${arch}-setup${signs.windows ? '' : '-unsigned'}.\${ext}`,
    },
    nsis: {
      oneClick: false,
      // One installer for each processor; updates choose theirs by name.
      buildUniversalInstaller: false,
      perMachine: false,
      allowElevation: false,
      selectPerMachineByDefault: false,
      // The checkbox of packaging/desktop/installer.nsh decides; it is unchecked by default.
      deleteAppDataOnUninstall: false,
      include: 'packaging/desktop/installer.nsh',
    },
    portable: {
      // A separate folder for each start, because a restart begins before the old one is deleted.
      unpackDirName: true,
      buildUniversalInstaller: false,
      artifactName: `${NAME}-windows-\${arch}-portable${signs.windows ? '' : '-unsigned'}.\${ext}`,
    },
    mac: {
      files: filesFor('darwin'),
      // Updates are made from the ZIP file.
      target: ['dmg', 'zip'],
      artifactName: `${NAME}-macos-\${arch}${notarizes ? '' : '-unsigned'}.\${ext}`,
      category: 'public.app-category.developer-tools',
      minimumSystemVersion: '13.0',
      // If there are no keys, null leaves the app unsigned.
      ...(signs.mac ? {} : { identity: null }),
      hardenedRuntime: true,
      gatekeeperAssess: false,
      entitlements: 'packaging/desktop/entitlements.plist',
      entitlementsInherit: 'packaging/desktop/entitlements.plist',
      notarize: notarizes,
    },
  }
}

/** The platform as better-sqlite3 names it; `${platform}` would be that of the machine that builds the package. */
const filesFor = (platform: string) => [
  'out/{main,preload,renderer}/**',
  'resources/**',
  // It is part of the page.
  '!resources/connector-checks.json',
  'docs/**/*.md',
  '!docs/internals/**',
  'LICENSE',
  'package.json',
  '!**/*.map',
  // Leaves out what the only dependency doesn't need to run here.
  '!node_modules/better-sqlite3/{deps,src}/**',
  '!node_modules/better-sqlite3/binding.gyp',
  `!node_modules/better-sqlite3/prebuilds/!(${platform}-\${arch}).node`,
  '!node_modules/node-addon-api/**',
]

/** What can be signed: https://www.electron.build names these variables. */
function keysIn(env: NodeJS.ProcessEnv) {
  const mac = Boolean(env.CSC_LINK)
  return {
    signs: { mac, windows: Boolean(env.WIN_CSC_LINK) },
    notarizes: mac && Boolean(env.APPLE_API_KEY && env.APPLE_API_KEY_ID && env.APPLE_API_ISSUER),
  }
}

export default packageConfig(process.env)
