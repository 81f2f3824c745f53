import { ensureBuild } from '../../scripts/lib/build.ts'

/** Runs once before the tests that start the program: they start what the sources say. */
export default function build(): void {
  ensureBuild()
}
