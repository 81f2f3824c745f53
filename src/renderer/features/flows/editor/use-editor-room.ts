import { useMedia } from '../../../components/screen/use-media.ts'

/** How much of the editor fits into the window: one part at a time, three columns, or four with a separate output. */
export type EditorRoom = 'one' | 'three' | 'wide'

export function useEditorRoom(): EditorRoom {
  const isOne = useMedia('(width < 900px)')
  const isWide = useMedia('(width >= 1600px)')
  return isOne ? 'one' : isWide ? 'wide' : 'three'
}
