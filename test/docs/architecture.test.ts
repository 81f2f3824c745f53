import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText } from '../../scripts/lib/read-text.ts'
import { ROOMS } from '../architecture/rooms.ts'

const ROOT = join(import.meta.dirname, '../..')
const ARCHITECTURE = readText('docs/internals/architecture.md')

const SECTIONS = ARCHITECTURE.split(/^#{2,3} /m).map((text) => {
  const end = text.indexOf('\n')
  return { heading: text.slice(0, end), text: text.slice(end) }
})

/** `flow/{run,model}` as `flow/run` and `flow/model`. */
function expand(pattern: string): readonly string[] {
  const [all, names = ''] = /\{(.*)\}/.exec(pattern) ?? []
  return all === undefined ? [pattern] : names.split(',').map((name) => pattern.replace(all, name))
}

test('the architecture has a line for every room, and no other lines', () => {
  const described = SECTIONS.filter(({ heading }) => /^`(?:src|packages)\//.test(heading)).flatMap(
    ({ heading, text }) =>
      [...text.matchAll(/^\| `([^`]+)` \|/gm)].flatMap(([, pattern = '']) =>
        expand(pattern).map((room) => `${heading.replaceAll('`', '')}/${room}`),
      ),
  )
  const layers = new Set([
    'packages/curl',
    'packages/curl/src',
    'packages/import-n8n',
    'packages/import-n8n/src',
    'packages/jinja',
    'packages/jinja/src',
    'src/shared',
    'src/main',
    'src/preload',
    'src/sandbox',
    'src/renderer',
  ])
  const rooms = ROOMS.map(({ room }) => room).filter((room) => !room.endsWith('(root)') && !layers.has(room))
  expect(described.toSorted()).toEqual(rooms.toSorted())
})

test('each path of the data goes through five files, which have the functions it names', () => {
  const rows = [...ARCHITECTURE.matchAll(/^\| (\d) \| `([^`]+)` \| `([^`]+)` \|/gm)]
  const lacking = rows.filter(([, , path = '', name = '']) => {
    const file = ['src/main', 'src']
      .map((folder) => `${folder}/${path}`)
      .find((one) => existsSync(join(ROOT, one)))
    return (
      file === undefined || name.split('.').some((part) => !new RegExp(`\\b${part}\\b`).test(readText(file)))
    )
  })
  expect(rows.map(([, number]) => number).join('')).toBe('12345'.repeat(3))
  expect(lacking.map(([row]) => row)).toEqual([])
})

test('files that a document names exist', () => {
  const files = globSync(
    '{src,packages/*/{src,test},test,docs,scripts,bench,resources,tools,packaging}/**/*.*',
    { cwd: ROOT },
  )
  const documents = globSync(['*.md', 'docs/**/*.md', 'src/**/*.md', 'packages/*/{*.md,src/**/*.md}'], {
    cwd: ROOT,
  })
  const missing = documents.flatMap((document) =>
    [...readText(document).matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|css|mjs))`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !files.some((file) => file === path || file.endsWith(`/${path}`)))
      .map((path) => `${document}: ${path}`),
  )
  expect(missing).toEqual([])
})
