/** What is shown of a step in a run. By itself, since addresses name a tab and are read before anything is shown. */
export const STEP_TABS = ['input', 'output', 'http', 'log'] as const
export type StepTab = (typeof STEP_TABS)[number]
