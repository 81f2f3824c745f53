// Loaded before every script, and plain JavaScript, so that an old Node gets this far.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `Millrace needs Node 22.18 or newer, and this is ${process.versions.node}. ` +
      `On Linux and Windows "npm ci" brings a fitting one along; elsewhere install Node 24.\n`,
  )
  process.exit(1)
}
