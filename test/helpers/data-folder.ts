import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files of a data folder and its subfolders that contain one of the texts. Which subfolders exist depends on the
 * moment.
 */
export function filesWith(dataDir: string, ...texts: string[]): string[] {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  if (files.length === 0) throw new Error(`${dataDir} has no files`)
  return files.filter((file) => {
    const bytes = readFileSync(file)
    return texts.some((text) => bytes.includes(text))
  })
}
