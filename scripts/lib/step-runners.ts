/** Generates the table of runners, with a line for each runner in the family folders. */
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ROOT } from './build.ts'
import { readText } from './read-text.ts'

const STEPS = 'src/main/engine/flow/steps'
const RUNNER = /^export const (\w+)(?:: StepRunner| = polledTrigger)<'(\w+)'>/gm

export function writeRunners(): { readonly path: string; readonly text: string } {
  const files = globSync(`${STEPS}/{triggers,calls,control,values,files}/*.ts`, { cwd: ROOT })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((file) => ({
      from: `./${basename(dirname(file))}/${basename(file)}`,
      runners: [...readText(file).matchAll(RUNNER)].map(([, name = '', type = '']) => ({ name, type })),
    }))
    .filter(({ runners }) => runners.length > 0)
  const imports = files.map(
    ({ from, runners }) => `import { ${runners.map(({ name }) => name).join(', ')} } from '${from}'`,
  )
  const rows = files
    .flatMap(({ runners }) => runners)
    .map(({ name, type }) => (name === type ? `  ${name},` : `  ${type}: ${name},`))
  const text = [
    "import type { StepType } from '../../../../shared/contract/step-types/index.ts'",
    "import type { StepRunner } from '../model/compiled-step.ts'",
    ...imports,
    '',
    "/** Written by `npm run docs`. A type without a runner doesn't compile. */",
    'export const STEP_RUNNERS: { readonly [T in StepType]: StepRunner<T> } = {',
    ...rows,
    '}',
    '',
  ].join('\n')
  return { path: join(ROOT, STEPS, 'index.ts'), text }
}
