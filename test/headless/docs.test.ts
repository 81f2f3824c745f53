import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHome, type Home } from '../helpers/program.ts'

const DOCS = join(import.meta.dirname, '../../docs')

describe('a page starts with commands that work as written:', () => {
  let home: Home
  beforeEach(() => {
    home = createHome()
  })
  afterEach(() => home.remove())

  test('docs/reference/cli.md', async () => {
    const codes = []
    for (const [command = '', ...args] of firstExample('reference/cli.md')) {
      if (command === 'serve')
        await home.serve({ args: args.filter((arg) => !['&', '--no-open'].includes(arg)) })
      else codes.push((await home.run([command, ...args])).code)
    }
    expect(codes).toEqual([0, 0, 0, 0, 0])
  })
})

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
