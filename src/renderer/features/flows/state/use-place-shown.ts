import { useEffect, useRef } from 'react'
import { useAssist, useEditor, useRunPanel } from './editor-context.tsx'
import { oversAround } from './step-values.ts'

const TYPING_MS = 80

/**
 * Loads the names that only the server knows, and loads them again whenever a value that an item can come from changes.
 */
export function usePlaceShown(refId: string, field: string): void {
  const placeShown = useAssist((state) => state.placeShown)
  const turns = useAssist((state) => state.turns)
  const source = useAssist((state) => state.source)
  const runId = useRunPanel((state) => state.run?.id ?? null)
  const endedAt = useRunPanel((state) => state.run?.finished_at ?? null)
  const alone = useRunPanel((state) => state.alone)
  const pins = useRunPanel((state) => state.pins)
  const overs = useEditor((state) => oversAround(state.history?.present.steps ?? [], refId))
  const toldOvers = useRef(overs)
  useEffect(() => {
    // The server must first be told about a list that is being entered.
    if (toldOvers.current === overs) {
      void placeShown(refId, field, runId)
      return undefined
    }
    const timer = setTimeout(() => {
      toldOvers.current = overs
      void placeShown(refId, field, runId, true)
    }, TYPING_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [placeShown, refId, field, runId, endedAt, alone, pins, source, turns, overs])
}
