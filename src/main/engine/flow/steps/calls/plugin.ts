import type { StepRunner } from '../../model/compiled-step.ts'
import { callPlugin, pluginProblems } from '../support/plugin-call.ts'
import { readScriptResult } from '../support/script-result.ts'

/** Runs a step of a plug-in, in the sandbox of scripts. */
export const plugin: StepRunner<'plugin'> = {
  outside: true,
  check: (config, _, findPlugin) => pluginProblems('steps', config.step, config, findPlugin),
  async run({ config }, scope) {
    const result = await callPlugin('steps', config.step, config, scope)
    return readScriptResult(result, 'config.step', scope)
  },
}
