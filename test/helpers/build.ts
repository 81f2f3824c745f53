import { ensureBuild } from '../../scripts/lib/build.ts'

/** Runs once before the tests that start the program: what they start is what the sources say. */
export default function build(): void {
  ensureBuild()
}
