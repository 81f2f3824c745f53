import { useEffect, useState } from 'react'
import { searchJson } from '../lib/json-rows.ts'

interface Found {
  readonly ids: readonly string[]
  /** More of the value is still to be looked through. */
  readonly isLooking: boolean
}

const NOTHING: Found = { ids: [], isLooking: false }
/** What a frame has room for beside its drawing. */
const SLICE_MS = 6

/** Rows that match a search, looked for in slices: a value of 20 MB holds up neither typing nor scrolling. */
export function useFoundRows(value: unknown, search: string, most: number): Found {
  const [found, setFound] = useState<Found & { readonly of: string }>({ ...NOTHING, of: '' })

  useEffect(() => {
    if (search === '') return undefined
    const ids: string[] = []
    const steps = searchJson(value, search)
    let timer = setTimeout(look, 0)
    function look() {
      const until = performance.now() + SLICE_MS
      let isLooking = true
      while (isLooking && performance.now() < until) {
        const step = steps.next()
        if (step.done) isLooking = false
        else if (step.value !== null) isLooking = ids.push(step.value) < most
      }
      if (isLooking) timer = setTimeout(look, 0)
      else setFound({ ids, isLooking, of: search })
    }
    return () => clearTimeout(timer)
  }, [value, search, most])

  if (search === '') return NOTHING
  return found.of === search ? found : { ids: found.ids, isLooking: true }
}
