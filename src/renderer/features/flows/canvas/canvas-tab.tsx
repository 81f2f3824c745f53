import { lazy, Suspense } from 'react'
import { SkeletonRows } from '../../../components/screen/skeleton.tsx'

/** React Flow is loaded when the canvas is opened for the first time. */
const CanvasView = lazy(async () => ({ default: (await import('./canvas-view.tsx')).CanvasView }))

interface CanvasTabProps {
  readonly selected: string | undefined
  readonly onSelect: (refId: string | undefined) => void
  readonly onOpen: () => void
}

export function CanvasTab(props: CanvasTabProps) {
  return (
    <Suspense fallback={<SkeletonRows />}>
      <CanvasView {...props} />
    </Suspense>
  )
}
