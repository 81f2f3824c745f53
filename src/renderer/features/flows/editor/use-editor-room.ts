import { useRoomUnder } from '../../../components/screen/room.ts'

/**
 * The number of editor panes that fit into the window: one part at a time, three columns, or four with a separate
 * output.
 */
export type EditorRoom = 'one' | 'three' | 'wide'

export function useEditorRoom(): EditorRoom {
  const isOne = useRoomUnder(900)
  const isWide = !useRoomUnder(1600)
  return isOne ? 'one' : isWide ? 'wide' : 'three'
}
