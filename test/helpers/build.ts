import { ensureBuild } from '../../scripts/lib/build.ts'

/** Runs once before the tests that start the program, so that they start the current sources. */
export default function build(): void {
  ensureBuild()
}
