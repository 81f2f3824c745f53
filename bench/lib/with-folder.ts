import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type StartedMillrace, startMillrace } from './millrace.ts'

/** Runs work with its own data folder, which is deleted afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs work with a Millrace on its own data folder, then stops it and deletes the folder. */
export function withMillrace<T>(
  work: (millrace: StartedMillrace, folder: string) => Promise<T>,
  options?: Parameters<typeof startMillrace>[1],
): Promise<T> {
  return withFolder(async (folder) => {
    const millrace = await startMillrace(folder, options)
    try {
      return await work(millrace, folder)
    } finally {
      await millrace.program.end()
    }
  })
}
