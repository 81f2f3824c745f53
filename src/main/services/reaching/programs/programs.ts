/** Programs of this machine that the settings allow flows to run. */
import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, relative, sep } from 'node:path'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { Program } from '../../../../shared/contract/settings.ts'
import type { ProgramCall, ProgramPort } from '../../../engine/flow/model/ports.ts'
import { placeArguments } from './place-arguments.ts'
import { type ProcessCall, type ProcessEnd, runProcess } from './run-process.ts'

export interface ProgramsOptions {
  readonly programs: () => readonly Program[]
  readonly folders: () => readonly string[]
  readonly environment?: NodeJS.ProcessEnv
  readonly graceMs?: number
}

export function createPrograms(options: ProgramsOptions): ProgramPort {
  const { programs, folders, environment = process.env, graceMs = GRACE_MS } = options
  return {
    async run(call) {
      const program = programs().find(({ name }) => name === call.program)
      if (program === undefined) throw unknown(call.program, programs())
      if (program.for_secrets === true)
        throw new AppError(
          'forbidden',
          say('"{{name}}" is only for reading secrets, so steps can\'t run it; choose another program', {
            name: program.name,
          }),
          { data: { field: 'program' } },
        )
      const placed = placeArguments(program, call.arguments)
      if ('problem' in placed)
        throw invalid(
          `arguments[${placed.at}]`,
          say('argument {{number}} {{problem}}', { number: placed.at + 1, problem: placed.problem }),
        )
      const end = await start(program, folders(), {
        arguments: placed,
        environment: environmentOf(program, call, environment),
        input: call.input,
        mostBytes: MOST_BYTES,
        timeoutMs: call.timeoutMs,
        graceMs,
        signal: call.signal,
      })
      if (end.isLate) {
        throw new AppError(
          'timeout',
          say(
            '"{{name}}" ran longer than {{seconds}} s and was terminated; let it do less, or raise "timeout_seconds"',
            { name: program.name, seconds: call.timeoutMs / 1_000 },
          ),
        )
      }
      return {
        exitCode: codeOf(program, end),
        stdout: textOf(end.stdout.bytes),
        stderr: textOf(end.stderr.bytes),
        isStdoutCut: end.stdout.isCut,
        isStderrCut: end.stderr.isCut,
      }
    },
  }
}

/** A question to one of several programs: the first one that the settings allow for secrets gets it. */
export interface ProgramQuestion {
  readonly name: string
  readonly arguments: readonly string[]
}

export interface ProgramAnswer {
  readonly name: string
  /** Null if it exceeded the time limit. */
  readonly exitCode: number | null
  readonly isLate: boolean
  readonly stdout: Buffer
  readonly isStdoutCut: boolean
  readonly stderr: Buffer
}

export type AskProgram = (
  questions: readonly ProgramQuestion[],
  limits: Pick<ProcessCall, 'timeoutMs' | 'mostBytes' | 'signal'>,
) => Promise<ProgramAnswer>

/** Runs programs that steps can't run, for Millrace itself. Their fixed arguments come first. */
export function createAskProgram(options: ProgramsOptions): AskProgram {
  const { programs, folders, environment = process.env, graceMs = GRACE_MS } = options
  return async (questions, limits) => {
    const allowed = programs().filter(({ for_secrets: isForSecrets }) => isForSecrets === true)
    for (const { name, arguments: given } of questions) {
      const program = allowed.find((one) => one.name === name)
      if (program === undefined) continue
      const end = await start(program, folders(), {
        ...limits,
        arguments: [...program.arguments, ...given],
        environment: environmentOf(program, { environment: {}, key: '' }, environment),
        input: '',
        graceMs,
      })
      return {
        name,
        exitCode: end.isLate ? null : codeOf(program, end),
        isLate: end.isLate,
        stdout: end.stdout.bytes,
        isStdoutCut: end.stdout.isCut,
        stderr: end.stderr.bytes,
      }
    }
    throw new AppError(
      'forbidden',
      say('Settings, Programs has no {{names}} that is only for secrets; add it there under this name', {
        names: questions.map(({ name }) => `"${name}"`).join(' / '),
      }),
    )
  }
}

/** @throws AppError saying why it can't be started */
async function start(
  program: Program,
  folders: readonly string[],
  call: Omit<ProcessCall, 'path' | 'folder'>,
): Promise<ProcessEnd> {
  const path = await admit(program, folders)
  return await runProcess({ ...call, path, folder: program.folder ?? tmpdir() }).catch((error: unknown) => {
    throw refused(program, error)
  })
}

function codeOf({ name }: Program, { code, endedBy }: ProcessEnd): number {
  if (code !== null) return code
  throw new AppError(
    'unavailable',
    say('"{{name}}" was terminated by {{signal}}', { name, signal: String(endedBy) }),
  )
}

/** Contains only the named variables: some of Millrace's own environment, and those of the step. */
function environmentOf(
  program: Program,
  { environment: given, key }: Pick<ProgramCall, 'environment' | 'key'>,
  own: NodeJS.ProcessEnv,
): Record<string, string> {
  const all: Record<string, string> = {}
  for (const name of program.environment) {
    const value = name === KEY ? key : own[name]
    if (value !== undefined) all[name] = value
  }
  for (const [name, value] of Object.entries(given)) {
    if (!program.step_environment.includes(name)) {
      throw invalid(
        `environment.${name}`,
        say(
          '"{{name}}" doesn\'t accept the environment variable "{{variable}}" from steps; allow it for the program in Settings',
          { name: program.name, variable: name },
        ),
      )
    }
    if (value.includes('\0'))
      throw invalid(`environment.${name}`, say('"{{name}}" contains the character NUL', { name }))
    all[name] = value
  }
  return all
}

/** Rejects a program in a folder that flows can write to, because a flow could replace it. */
async function admit({ name, path }: Program, folders: readonly string[]): Promise<string> {
  const real = await realpath(path).catch((error: unknown) => {
    throw refused({ name, path }, error)
  })
  for (const folder of folders) {
    const way = relative(await realpath(folder).catch(() => folder), real)
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) continue
    throw new AppError(
      'forbidden',
      say(
        '"{{name}}" is in "{{folder}}", where flows can write files, so a flow could replace it; move the program',
        { name, folder },
      ),
    )
  }
  return real
}

function unknown(name: string, programs: readonly Program[]): AppError {
  const known = programs.map((one) => `"${one.name}"`).join(', ')
  return new AppError(
    'not_found',
    known === ''
      ? say('there is no program {{name}}; add it in Settings, Programs', {
          name: JSON.stringify(name.slice(0, 80)),
        })
      : say('there is no program {{name}}; the programs are {{known}}. Add others in Settings, Programs', {
          name: JSON.stringify(name.slice(0, 80)),
          known,
        }),
    { data: { field: 'program' } },
  )
}

const invalid = (field: string, message: Said) => new AppError('validation', message, { data: { field } })

function refused({ name, path }: Pick<Program, 'name' | 'path'>, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error
  const reasons: Readonly<Record<string, Said>> = {
    ENOENT: say('the file "{{path}}" or the folder it runs in doesn\'t exist', { path }),
    EACCES: say('"{{path}}" isn\'t a program that this user can run', { path }),
    ENOEXEC: say('"{{path}}" isn\'t a program of this system', { path }),
    E2BIG: say('the arguments are too long for this system; use "input"'),
    EINVAL: say(
      '"{{path}}" is a script for the Windows command line, which can\'t be run safely; run its interpreter',
      { path },
    ),
  }
  return new AppError(
    'unavailable',
    say('"{{name}}" can\'t be started: {{value}}', { name, value: reasons[code] ?? code }),
    { cause: error },
  )
}

/** Replaces bytes that aren't UTF-8, including a character cut in half at the end. */
const textOf = (bytes: Buffer) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

const KEY = 'MILLRACE_IDEMPOTENCY_KEY'
const MOST_BYTES = 5_000_000
const GRACE_MS = 5_000
