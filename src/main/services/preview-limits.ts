import type { TemplateOptions } from '../engine/template/index.ts'

/** Half of what a run has: the whole program waits for a template, and nobody's run depends on this one. */
export const PREVIEW: TemplateOptions = { limits: { milliseconds: 100 } }
