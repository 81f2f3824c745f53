/** Every command of the README, of the tutorial and of the how-to guides, run in order against one real program. */
import { chmodSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText } from '../../scripts/lib/read-text.ts'
import { FLAGS } from '../../src/main/host/machine/process-flags.ts'
import { freePort } from '../helpers/free-port.ts'
import { createHome, type Served } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { runCommand } from '../helpers/run-command.ts'
import { onPosix } from '../helpers/platform.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGES = [
  'README.md',
  'docs/getting-started.md',
  ...globSync('docs/how-to/*.md', { cwd: ROOT }).toSorted(),
]

interface Block {
  /** The first line of the fence without its backticks. */
  readonly info: string
  readonly code: string
}

const blocksOf = (page: string): readonly Block[] =>
  [...readText(page).matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gm)].map(([, info = '', code = '']) => ({
    info,
    code,
  }))

const home = createHome()
let served: Served
let appPort = 0
beforeAll(async () => {
  served = await home.serve()
  appPort = await freePort()
  installCommands()
  // As readers do it in the app.
  mkdirSync(join(home.folder, 'for-flows'))
  await callOrThrow(served, 'PUT', '/v1/settings', {
    file_folders: [join(home.folder, 'for-flows')],
    programs: [{ name: 'sort', path: '/usr/bin/sort', arguments: ['-r'] }],
  })
})
afterAll(() => home.remove())

test("command blocks run, unless they say why they can't", () => {
  const infos = PAGES.flatMap((page) => blocksOf(page).map(({ info }) => `${page}: ${info}`))
  const commands = infos.filter((info) => / (?:sh|bash|console|shell)\b/.test(info))
  const notRun = commands.filter((info) => !info.endsWith(': sh'))
  expect({
    many: commands.length > 40,
    unexplained: notRun.filter((info) => !/: sh not-run: \w+/.test(info)),
  }).toEqual({
    many: true,
    unexplained: [],
  })
  expect(notRun.length).toBeLessThan(commands.length / 5)
})

test.runIf(onPosix).for(PAGES)('%s', async (page) => {
  const blocks = blocksOf(page)
  const commands = blocks.filter(({ info }) => info === 'sh')
  const folder = join(home.folder, 'pages', basename(page))
  mkdirSync(folder, { recursive: true })
  const { code, stdout, stderr } = await runCommand('sh', ['-e', '-c', scriptOf(commands)], {
    cwd: folder,
    env: { ...home.env, PATH: `${join(home.folder, 'bin')}:${process.env.PATH ?? ''}` },
  })
  const printed = stdout.split(END)
  expect({ code, stderr: code === 0 ? '' : stderr, after: code === 0 ? '' : printed.at(-1) }).toEqual({
    code: 0,
    stderr: '',
    after: '',
  })
  const promised = blocks.flatMap(({ info, code: text }, at) =>
    info.endsWith(' output')
      ? [{ text, by: commands.indexOf(blocks.slice(0, at).findLast((one) => one.info === 'sh') as Block) }]
      : [],
  )
  const broken = promised.flatMap(({ text, by }) =>
    patternOf(text).test(withoutSpace(printed[by] ?? '')) ? [] : [{ promised: text, printed: printed[by] }],
  )
  expect(broken).toEqual([])
})

const END = '\n--- end of block\n'

/**
 * All blocks run in one shell, so that variables carry over; the program and the reader's own listen on separate ports.
 */
const scriptOf = (blocks: readonly Block[]) =>
  blocks
    .map(({ code }) => `${code}printf '\\n--- end of block\\n'\n`)
    .join('')
    .replaceAll('http://127.0.0.1:4747', served.url)
    .replaceAll('APP_PORT=3000', `APP_PORT=${appPort}`)

const withoutSpace = (text: string) => text.replaceAll(/\s+/g, '')

/** Ignores white space, and treats `…` as whatever differs from run to run. */
const patternOf = (text: string) =>
  new RegExp(
    `^${withoutSpace(text)
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
      .join('.*?')}$`,
  )

/** Installs what readers have on their PATH. jq is a few lines of our own, so that the machine doesn't need it. */
function installCommands(): void {
  const bin = join(home.folder, 'bin')
  mkdirSync(bin)
  const node = [process.execPath, ...FLAGS, join(ROOT, 'out/main/headless.js')]
    .map((word) => `'${word}'`)
    .join(' ')
  const install = (name: string, script: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  install('jq', `exec '${process.execPath}' -e '${JQ}' -- "$@"`)
  install('millrace', `exec ${node} "$@"`)
  install('npm', `[ "$1 $2 $3 $4" = 'run -s millrace --' ] || exit 64\nshift 4\nexec ${node} "$@"`)
}

/** `jq [-r] [-c] .path[0].key|length [FILE]`, as far as the pages use it. */
const JQ = `
const { readFileSync } = require("node:fs")
const [filter, file] = process.argv.slice(1).filter((word) => !word.startsWith("-"))
const path = (filter.match(/\\w+|-\\d+/g) ?? []).filter((key) => key !== "length")
const at = (value, key) => (/^-?\\d+$/.test(key) ? value?.at(Number(key)) : value?.[key])
const found = path.reduce(at, JSON.parse(readFileSync(file ?? 0, "utf8")))
const value = filter.endsWith("length") ? found.length : (found ?? null)
const isRaw = process.argv.includes("-r") && typeof value === "string"
process.stdout.write((isRaw ? value : JSON.stringify(value)) + "\\n")
`
