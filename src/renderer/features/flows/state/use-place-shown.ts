import { useEffect } from 'react'
import { useAssist, useRunPanel } from './editor-context.tsx'

/** Asks for the names that only the program knows, again whenever a value changes that an item can come from. */
export function usePlaceShown(refId: string, field: string): void {
  const placeShown = useAssist((state) => state.placeShown)
  const turns = useAssist((state) => state.turns)
  const source = useAssist((state) => state.source)
  const runId = useRunPanel((state) => state.run?.id ?? null)
  const alone = useRunPanel((state) => state.alone)
  const pins = useRunPanel((state) => state.pins)
  useEffect(
    () => void placeShown(refId, field, runId),
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
    [placeShown, refId, field, runId, alone, pins, source, turns],
  )
}
