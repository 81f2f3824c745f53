/** Prepares a folder of flows for agents and editors. */
import { lstatSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EXIT, type ExitCode } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { writeFlowFile } from '../support/flow-folder.ts'

type Outcome = 'written' | 'unchanged' | 'kept'

/** Exits with 1 if a file differs and was kept. */
export async function initFolder(
  { output }: CommandContext,
  { force = false }: { readonly force?: boolean },
  folder: string = '.',
): Promise<ExitCode> {
  const { initFiles } = await import('../support/init-files.ts')
  const files = initFiles().map(({ path, text, isOnce = false }) => {
    const file = join(folder, path)
    const held = textOf(file)
    const outcome: Outcome =
      held === text ? 'unchanged' : held === null || (force && !isOnce) ? 'written' : 'kept'
    if (outcome === 'written') writeFlowFile(dirname(file), basename(file), text)
    return { file, outcome, isOnce }
  })
  const lines = files.map(({ file, outcome, isOnce }) =>
    outcome === 'kept'
      ? `kept       ${file}${isOnce ? '' : ' (it differs; --force overwrites it)'}`
      : `${outcome.padEnd(9)}  ${file}`,
  )
  output.answer({ files: files.map(({ file, outcome }) => ({ file, outcome })) }, lines.join('\n'))
  return files.some(({ outcome, isOnce }) => outcome === 'kept' && !isOnce) ? EXIT.failed : EXIT.ok
}

/** Null if there is no such file. Anything that isn't a file counts as different. */
function textOf(file: string): string | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return null
  return found.isFile() ? readFileSync(file, 'utf8') : ''
}
