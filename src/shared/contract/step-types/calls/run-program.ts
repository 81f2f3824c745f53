import { z } from 'zod'
import { json, text } from '../../base/common.ts'
import { template, dictionary } from '../parts/fields.ts'
import { AS_JSON } from '../parts/faces.ts'
import { stepType, shown } from '../parts/step-type.ts'
import { isEmpty } from '../parts/values.ts'

const result = z.object({
  exit_code: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  stdout_truncated: z.boolean(),
  stderr_truncated: z.boolean(),
})

export const runProgram = stepType({
  family: 'calls',
  label: 'Run a program',
  purpose: 'Runs a program on this computer',
  words: 'shell script command execute exec process terminal bash python cli tool powershell',
  icon: 'square-terminal',
  refId: 'program',
  config: z
    .strictObject({
      program: text(60).describe('Name of a program under Settings, Programs.'),
      arguments: z
        .array(template)
        .max(1_000)
        .default([])
        .describe(
          'Arguments, one template each. They fill the fixed places `{}` of the program first. An argument that begins with `-` must come after `--`.',
        ),
      environment: dictionary
        .default({})
        .describe('Environment variables by name; only those that the program lets steps set.'),
      input: json.optional().describe("Standard input. Anything that isn't a string is written as JSON."),
      output: z
        .enum(['text', 'json', 'json_lines'])
        .default('text')
        .describe('How standard output is read: as `text`, as `json`, or as `json_lines`, a list.'),
      timeout_seconds: z
        .number()
        .min(1)
        .max(86_400)
        .default(60)
        .describe('Seconds after which the program is stopped with everything it started, up to a day.'),
      exit_codes: z
        .array(z.int().min(0).max(4_294_967_295))
        .min(1)
        .max(100)
        .default([0])
        .describe('Exit codes that count as success. Others fail the step.'),
    })
    .meta({
      description:
        'Runs a program on this computer, without a shell. If the computer fails before the program ends, the run starts it again, with the same `MILLRACE_IDEMPOTENCY_KEY` in its environment.',
      examples: [{ program: 'pandoc', arguments: ['--', '{{ web1.file }}'], input: '# Hello' }],
    }),
  fields: {
    program: {
      label: 'Program',
      hint: 'The program’s name in the list under Settings, Programs.',
      placeholder: 'pandoc',
    },
    arguments: {
      label: 'Arguments',
      orText: true,
      hint: 'A list of templates, for example ["--", "{{ web1.file }}"]. Values that start with - must come after "--".',
    },
    environment: { label: 'Environment variables', noun: 'variable' },
    input: { label: 'Standard input', kind: 'template', optional: true, rows: 3, hint: AS_JSON },
    output: {
      label: 'Read the output as',
      options: {
        text: 'Text',
        json: 'JSON',
        json_lines: ['JSON lines', 'A list with an item for each line'],
      },
    },
    timeout_seconds: { label: 'Timeout (seconds)', optional: true, placeholder: '60' },
    exit_codes: {
      label: 'Successful exit codes',
      hint: 'A list, by default [0]. Any other exit code fails the step.',
    },
  },
  result: result.describe(
    'An object with `exit_code`, `stdout` (text, or what `output` makes of it), `stderr`, `stdout_truncated` and `stderr_truncated` (true above 5 MB).',
  ),
  resultOf: ({ output }) =>
    isEmpty(output) || output === 'text' ? undefined : result.extend({ stdout: json }),
  sample: { config: { program: 'pandoc', arguments: ['--', '{{ web1.file }}'] } },
  summary: (config, { t }) => shown(config.program, t('choose a program')),
})
