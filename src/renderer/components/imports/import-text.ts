/** The text to import. Both lists share it, so text that belongs to the other list isn't lost on the way there. */
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { LIMITS } from '../../../shared/contract/base/limits.ts'
import { formatBytes } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

interface ImportText {
  readonly text: string
  /** Why a file was rejected; null if it wasn't. */
  readonly problem: string | null
}

const EMPTY: ImportText = { text: '', problem: null }
export const importText = createStore<ImportText>(() => EMPTY)

export const useImportText = () => useStore(importText)
export const setImportText = (text: string) => importText.setState({ text, problem: null })
export const clearImportText = () => importText.setState(EMPTY)

/** Replaces the current text with that of a file. */
export async function takeImportFile(file: File | undefined): Promise<void> {
  if (file === undefined) return
  if (file.size > LIMITS.largeBodyBytes) {
    const values = { name: file.name, size: formatBytes(file.size), most: formatBytes(LIMITS.largeBodyBytes) }
    importText.setState({
      problem: t(
        '“{{name}}” is {{size}}. You can import up to {{most}} here. Use “millrace flow import FILE” or import part of it.',
        values,
      ),
    })
    return
  }
  try {
    setImportText(decode(new Uint8Array(await file.arrayBuffer())))
  } catch {
    importText.setState({
      problem: t('“{{name}}” isn’t a text file. If it’s an archive, unpack it first.', { name: file.name }),
    })
  }
}

/** PowerShell and some editors on Windows write UTF-16, with a byte-order mark. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  const charset =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(charset, { fatal: true }).decode(bytes)
}
