#!/usr/bin/env node
// The `millrace` command of the installed package. Plain JavaScript that an old Node can read, so that it gets a sentence.
const NEEDED = 24
const { node } = process.versions

if (Number(node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `Millrace needs Node ${NEEDED} or newer, and this is ${node}. Install a newer one from nodejs.org, then try again.\n`,
  )
  process.exitCode = 1
} else {
  void import('../out/main/headless.js')
}
