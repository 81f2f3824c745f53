/**
 * The folder `plugins` in the data folder. Every plug-in there is complete at every moment, even if Millrace is killed.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { pluginName } from '../../../../shared/contract/plugins/manifest.ts'
import { moveFile, moveFileSync, removeFolder } from '../../../store/index.ts'
import { type PluginFiles, writePluginFolder } from './plugin-files.ts'

export interface PluginFolders {
  pathOf(name: string): string
  has(name: string): boolean
  names(): readonly string[]
  /** Undoes replacements that a crash interrupted. */
  restore(): void
  /** Deletes leftovers. */
  clean(): Promise<void>
  put(name: string, files: PluginFiles): Promise<void>
  /** Puts back a missing folder, synchronously. */
  bringBack(name: string, files: PluginFiles): void
  remove(name: string): Promise<void>
}

export function createPluginFolders(folder: string): PluginFolders {
  const pathOf = (name: string) => join(folder, name)
  const has = (name: string) => existsSync(pathOf(name))
  const entries = () => (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])

  /** Makes a temporary folder for files being written. */
  function makePlace(): string {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return mkdtempSync(join(folder, '.new-'))
  }

  return {
    pathOf,
    has,
    names: () =>
      entries()
        .filter((entry) => entry.isDirectory() && pluginName.safeParse(entry.name).success)
        .map(({ name }) => name)
        .toSorted(),
    restore() {
      for (const { name: aside } of entries()) {
        const [, name] = ASIDE.exec(aside) ?? []
        if (name !== undefined && !has(name)) moveFileSync(join(folder, aside), pathOf(name))
      }
    },
    async clean() {
      const left = entries().filter(({ name }) => LEFT.test(name))
      for (const { name } of left) await removeFolder(join(folder, name))
    },
    async put(name, files) {
      const place = makePlace()
      const aside = join(folder, `.old-${name}`)
      try {
        writePluginFolder(join(place, name), files)
        await removeFolder(aside)
        const isThere = has(name)
        if (isThere) await moveFile(pathOf(name), aside)
        try {
          await moveFile(join(place, name), pathOf(name))
        } catch (error) {
          if (isThere) await moveFile(aside, pathOf(name))
          throw error
        }
      } finally {
        await removeFolder(place)
      }
      await removeFolder(aside)
    },
    bringBack(name, files) {
      const place = makePlace()
      writePluginFolder(join(place, name), files)
      moveFileSync(join(place, name), pathOf(name))
      rmdirSync(place)
    },
    async remove(name) {
      if (!has(name)) return
      const place = makePlace()
      await moveFile(pathOf(name), join(place, name))
      await removeFolder(place)
    },
  }
}

const ASIDE = /^\.old-(.+)$/
const LEFT = /^\.(?:old|new)-/
