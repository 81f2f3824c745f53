import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { AppError } from '../../../../../shared/contract/base/errors.ts'
import { say, sentenceOf } from '../../../../../shared/contract/base/message.ts'
import {
  type Data,
  dictionaryOf,
  entriesOf,
  isDictionary,
  JsonError,
  parseLargeJson,
  writeJson,
} from '@millrace/jinja/data'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { shortText } from '../support/read-input.ts'

type Config = StepConfig<'run_program'>

/** Runs a program named in the settings, without a shell. */
export const runProgram: StepRunner<'run_program'> = {
  outside: true,
  async run({ config }, scope) {
    const given = config.arguments.map((source, at) => ({
      text: scope.renderText(`config.arguments[${at}]`, source),
      isSeparator: source === '--',
    }))
    const environment = readEnvironment(config, scope)
    const input = config.input === undefined ? '' : asText(scope.evaluate('config.input', config.input))
    scope.showInput(
      dictionaryOf([
        ['program', config.program],
        ['arguments', given.map(({ text }) => text)],
        ['environment', dictionaryOf(Object.entries(environment))],
        ['input', input],
      ]),
    )
    const end = await scope.ports.programs
      .run({
        program: config.program,
        arguments: given,
        environment,
        input,
        timeoutMs: config.timeout_seconds * 1_000,
        key: `${scope.runId}/${scope.key}`,
        signal: scope.signal,
      })
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error
        const { field } = (error.data ?? {}) as { readonly field?: string }
        throw scope.fail(error.code, sentenceOf(error), {
          field: `config.${field ?? 'program'}`,
          cause: error,
        })
      })
    if (!config.exit_codes.includes(end.exitCode)) {
      const said = end.stderr.trim() || end.stdout.trim()
      const { program } = config
      const code = end.exitCode
      throw scope.fail(
        'program_failed',
        said === ''
          ? say('"{{program}}" ended with exit code {{code}}', { program, code })
          : say('"{{program}}" ended with exit code {{code}}: {{why}}', {
              program,
              code,
              why: said.slice(-500),
            }),
      )
    }
    return dictionaryOf([
      ['exit_code', end.exitCode],
      ['stdout', await readOutput(config, end.stdout, end.isStdoutCut, scope)],
      ['stderr', end.stderr],
      ['stdout_truncated', end.isStdoutCut],
      ['stderr_truncated', end.isStderrCut],
    ])
  },
}

function readEnvironment({ environment }: Config, scope: StepScope): Record<string, string> {
  const values = scope.evaluate('config.environment', environment)
  if (isDictionary(values))
    return Object.fromEntries(
      entriesOf(values).flatMap(([name, value]) => (value === null ? [] : [[name, asText(value)]])),
    )
  throw scope.fail(
    'validation',
    say('"environment" must be an object, got {{shortText}}', { shortText: shortText(values) }),
    {
      field: 'config.environment',
    },
  )
}

const asText = (value: Data) => (typeof value === 'string' ? value : writeJson(value))

async function readOutput({ output }: Config, text: string, isCut: boolean, scope: StepScope): Promise<Data> {
  if (output === 'text') return text
  const place = { field: 'config.output' }
  if (isCut)
    throw scope.fail('too_large', say("the output is longer than 5 MB, so it can't be read as JSON"), place)
  try {
    if (output === 'json') return await parseLargeJson(text)
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return await parseLargeJson(`[${lines.join(',')}]`)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw scope.fail(
      'validation',
      say("the output isn't JSON: {{problem}}; it begins with {{text}}", {
        problem: error.problem,
        text: shortText(text.slice(0, 60)),
      }),
      place,
    )
  }
}
