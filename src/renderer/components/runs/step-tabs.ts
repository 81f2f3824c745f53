/**
 * The views of a step in a run. They are in a separate module, because URLs name a tab and are read before anything is
 * shown.
 */
export const STEP_TABS = ['input', 'output', 'http', 'log'] as const
export type StepTab = (typeof STEP_TABS)[number]

/** The same in the editor, where the output is a tree or a table. */
export const RESULT_TABS = ['tree', 'table', 'http', 'log', 'input'] as const
export type ResultTab = (typeof RESULT_TABS)[number]
