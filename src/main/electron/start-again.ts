import { app } from 'electron'
import { canMakeCode, FLAGS, withMemory } from '../process-flags.ts'

/** Marks the second start: if the flags aren't in effect even then, there is no third. */
const AGAIN = '--started-again'

/**
 * Restarts the app with its flags if it was started without them, as from a menu or a link; the current process then
 * has to exit.
 */
export function startAgain(): boolean {
  if (!canMakeCode() || process.argv.includes(AGAIN)) return false
  // The new process inherits the environment.
  Object.assign(process.env, withMemory(process.env))
  app.relaunch({ args: [...process.argv.slice(1), `--js-flags=${FLAGS.join(' ')}`, AGAIN] })
  return true
}
