import { resolve } from 'node:path'
import { moveData } from '../../host/move-data.ts'
import type { CommandContext } from '../support/command-context.ts'

/** Exits with 75 while Millrace is running. */
export async function move(
  { config, output }: CommandContext,
  _options: unknown,
  folder: string,
): Promise<void> {
  const to = resolve(folder)
  await moveData(config, to)
  output.answer({ data_dir: to, moved_from: config.dataDir }, `The data folder is now ${to}`)
  if (config.dataDirIsGiven)
    output.note('Change --data-dir or MILLRACE_DATA_DIR where it is set: it still names the old folder.')
}
