import { app } from 'electron'
import { canMakeCode, FLAGS, withMemory } from '../process-flags.ts'

/** Says that this is the second start already: where the flags don't hold even so, there is no third. */
const AGAIN = '--started-again'

/** Starts the app once more if it came without its flags, as it does from a menu or a link; then this one is to end. */
export function startAgain(): boolean {
  if (!canMakeCode() || process.argv.includes(AGAIN)) return false
  // The new process inherits the environment.
  Object.assign(process.env, withMemory(process.env))
  app.relaunch({ args: [...process.argv.slice(1), `--js-flags=${FLAGS.join(' ')}`, AGAIN] })
  return true
}
