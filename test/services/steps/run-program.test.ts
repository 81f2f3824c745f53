import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Program } from '../../../src/shared/contract/settings.ts'
import { createPrograms } from '../../../src/main/services/reaching/programs/programs.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { onPosix } from '../../helpers/platform.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

const NODE: Program = {
  name: 'node',
  path: process.execPath,
  arguments: ['-e', '{}', '--'],
  folder: null,
  environment: [],
  step_environment: [],
}

async function withPrograms(programs: readonly Partial<Program>[] = [{}], more: object = {}) {
  const app = await startFlowApp({
    settings: { programs: programs.map((one) => ({ ...NODE, ...one })), ...more },
  })
  return {
    app,
    run: async (script: string, config: object = {}): Promise<unknown> => {
      const { arguments: rest = [], ...others } = config as { arguments?: string[] }
      const steps = [
        {
          ref_id: 'it',
          type: 'run_program',
          config: { program: 'node', ...others, arguments: [script, ...rest] },
        },
      ]
      const { flow } = await app.addFlow(steps)
      await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
      const [last] = app.runs()
      return last?.error
        ? { code: last.error.code, message: last.error.message }
        : app.stepsOf(last!)[0]?.output
    },
  }
}

const ended = (stdout: unknown, more: object = {}) => ({
  exit_code: 0,
  stdout,
  stderr: '',
  stdout_truncated: false,
  stderr_truncated: false,
  ...more,
})
const failure = (code: string, words: string) => ({ code, message: expect.stringContaining(words) as string })

describe('a program', () => {
  it('gets arguments, input and only the listed environment variables', async () => {
    process.env['MILLRACE_TEST_PASSED'] = 'passed'
    const { run } = await withPrograms([
      { environment: ['MILLRACE_TEST_PASSED', 'MILLRACE_IDEMPOTENCY_KEY'], step_environment: ['GIVEN'] },
    ])
    const script = `let input = ''
      process.stdin.on('data', (text) => (input += text)).on('end', () => {
        const { MILLRACE_IDEMPOTENCY_KEY: key, ...env } = process.env
        console.log(JSON.stringify([process.argv.slice(1), input, env, key.length > 10]))
      })`
    const hostile = [
      'a b',
      '"q"',
      "'s'",
      'line\nbreak',
      '$(id)',
      '`id`',
      '%PATH%',
      '*',
      '--option=value',
      '-x',
      '',
    ]
    const got = await run(script, {
      arguments: hostile,
      input: { a: 1 },
      environment: { GIVEN: '{{ 1 + 1 }}' },
      output: 'json',
    })
    delete process.env['MILLRACE_TEST_PASSED']
    expect(got).toEqual(ended([hostile, '{"a":1}', { MILLRACE_TEST_PASSED: 'passed', GIVEN: '2' }, true]))
  })

  it('returns text, JSON or lines of JSON, and an exit code that is allowed', async () => {
    const { run } = await withPrograms()
    expect([
      await run(`console.log('ä'); console.error('e'); process.exit(3)`, { exit_codes: [0, 3] }),
      await run(`console.log('{"a":1}\\n\\n[1]')`, { output: 'json_lines' }),
      await run(`process.exit(2)`),
      await run(`console.error('no such thing'); process.exit(2)`),
      await run(`console.log('{')`, { output: 'json' }),
      await run(`process.stdout.write('x'.repeat(6_000_000))`, { output: 'json' }),
    ]).toEqual([
      ended('ä\n', { exit_code: 3, stderr: 'e\n' }),
      ended([{ a: 1 }, [1]]),
      failure('program_failed', '"node" ended with exit code 2'),
      failure('program_failed', 'ended with exit code 2: no such thing'),
      failure('validation', "the output isn't JSON"),
      failure('too_large', 'longer than 5 MB'),
    ])
  })

  it('can leave its input unread', async () => {
    const { run } = await withPrograms()
    expect(await run('process.stdin.destroy()', { input: 'x'.repeat(3_000_000) })).toEqual(ended(''))
  })

  it('and its secrets are redacted in the history', async () => {
    const { app, run } = await withPrograms([{ step_environment: ['SECRET'] }])
    await app.call('POST', '/v1/env-variables', {
      name: 'api_secret',
      type: 'text',
      value: 'hidden-secret-value',
      secret: true,
    })
    const got = await run('console.log(process.env.SECRET)', { environment: { SECRET: '{{ api_secret }}' } })
    const [step] = app.stepsOf(app.runs()[0]!)
    expect(JSON.stringify([got, step])).not.toContain('hidden-secret-value')
    expect(got).toMatchObject({ exit_code: 0, stdout: '***\n' })
  })

  it('is rejected with a sentence', async () => {
    const folder = temporaryFolder()
    const inside = join(folder, 'tool')
    writeFileSync(inside, '#!/bin/sh\n')
    chmodSync(inside, 0o755)
    mkdirSync(join(folder, 'other'))
    const { run } = await withPrograms(
      [
        { arguments: [] },
        { name: 'inside', path: inside },
        { name: 'gone', path: '/nowhere/at/all' },
        { name: 'no folder', folder: '/nowhere/at/all' },
      ],
      { file_folders: [folder] },
    )
    expect([
      await run('-p'),
      await run('x', { program: 'other' }),
      await run('x', { program: 'inside' }),
      await run('x', { program: 'gone' }),
      await run('1', { program: 'no folder' }),
      await run('x', { environment: { LD_PRELOAD: 'x' } }),
      await run('{{ "a" ~ "\\u0000" }}'),
      await run(`{{ "x" * 3000000 }}`),
    ]).toEqual([
      failure('validation', 'argument 1 is "-p", which "node" would take for an option'),
      failure('not_found', 'there is no program "other"; the programs are "node", "inside"'),
      failure('forbidden', 'so a flow could replace it'),
      failure('unavailable', `the file "/nowhere/at/all"`),
      failure('unavailable', "doesn't exist"),
      failure('validation', 'doesn\'t accept the environment variable "LD_PRELOAD"'),
      failure('validation', 'argument 1 contains the character NUL'),
      failure('unavailable', 'the arguments are too long'),
    ])
  })
})

describe.runIf(onPosix)('what a program started', () => {
  const call = { program: 'node', environment: {}, input: '', key: 'k', signal: new AbortController().signal }
  const given = (script: string) => [{ text: script, isSeparator: false }]
  const ports = createPrograms({ programs: () => [NODE], folders: () => [], graceMs: 100 })
  const isAlive = (pid: number) => {
    try {
      process.kill(pid, 0)
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  }

  it('ends with it, also if it ignores SIGTERM', async () => {
    const file = join(temporaryFolder(), 'pids')
    const script = `process.on('SIGTERM', () => {})
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6)'])
      require('node:fs').writeFileSync(${JSON.stringify(file)}, process.pid + ' ' + child.pid)
      setInterval(() => {}, 1e6)`
    await expect(ports.run({ ...call, arguments: given(script), timeoutMs: 2_000 })).rejects.toThrow(
      '"node" ran longer than 2 s and was terminated',
    )
    expect(existsSync(file)).toBe(true)
    const pids = readFileSync(file, 'utf8').split(' ').map(Number)
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })

  it("can't keep the output open after the program exits", async () => {
    const script = `const { spawn } = require('node:child_process')
      for (const detached of [false, true])
        console.log(spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)'], { stdio: 'inherit', detached }).pid)
      process.exit(0)`
    const { stdout } = await ports.run({ ...call, arguments: given(script), timeoutMs: 60_000 })
    const [inGroup = 0, outside = 0] = stdout.trim().split('\n').map(Number)
    await expect.poll(() => isAlive(inGroup)).toBe(false)
    process.kill(outside)
  })

  it('can write up to a limit, and the rest is dropped', async () => {
    const script = `for (let i = 0; i < 80; i++) process.stdout.write('x'.repeat(100_000))`
    const { stdout, ...rest } = await ports.run({ ...call, arguments: given(script), timeoutMs: 60_000 })
    expect({ ...rest, length: stdout.length }).toEqual({
      exitCode: 0,
      stderr: '',
      isStdoutCut: true,
      isStderrCut: false,
      length: 5_000_000,
    })
  })

  it('ends with a cancelled run', async () => {
    const cancel = new AbortController()
    const running = ports.run({
      ...call,
      arguments: given('setInterval(() => {}, 1e6)'),
      timeoutMs: 60_000,
      signal: cancel.signal,
    })
    setImmediate(() => cancel.abort(new Error('cancelled')))
    await expect(running).rejects.toThrow('cancelled')
  })
})
