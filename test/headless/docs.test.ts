import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHome, type Home } from '../helpers/program.ts'

const DOCS = join(import.meta.dirname, '../../docs')

describe('a page begins with commands that work as they stand there:', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  test('docs/hosts.md', async () => {
    const codes = []
    for (const [command = '', ...args] of firstExample('hosts.md')) {
      if (command === 'serve')
        await home.serve({ args: args.filter((arg) => !['&', '--no-open'].includes(arg)) })
      else codes.push((await home.run([command, ...args])).code)
    }
    expect(codes).toEqual([0, 0, 0, 0, 0])
  })

  test('docs/flow-files.md', async () => {
    writeFileSync(join(home.folder, 'n8n-workflow.json'), JSON.stringify(N8N_WORKFLOW))
    await home.serve()
    const codes = []
    for (const args of firstExample('flow-files.md')) {
      const inFolder = args.map((arg) => (arg.endsWith('.json') ? join(home.folder, arg) : arg))
      codes.push((await home.run(inFolder)).code)
    }
    expect(codes).toEqual([0, 0, 0, 0])
  })
})

/** As n8n's editor downloads it. */
const N8N_WORKFLOW = {
  name: 'From n8n',
  nodes: [
    {
      name: 'Hook',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      position: [0, 0],
      parameters: { path: 'a' },
    },
    { name: 'Keep', type: 'n8n-nodes-base.set', typeVersion: 1, position: [200, 0], parameters: {} },
  ],
  connections: { Hook: { main: [[{ node: 'Keep', type: 'main', index: 0 }]] } },
}

/** The arguments of each `millrace` line in the first code block. */
function firstExample(page: string): string[][] {
  const [, code = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(DOCS, page), 'utf8')) ?? []
  return code
    .trim()
    .split('\n')
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)]
        .map(([word, double, single]) => double ?? single ?? word)
        .slice(1),
    )
}
