// Loaded before every script, and plain JavaScript, so that even an old Node gets this far.
const NEEDED = 24
// Platforms for which "npm ci" installs that Node; there, the system's own only has to run npm.
const BROUGHT_ALONG = ['linux-x64', 'linux-arm64', 'win32-x64']

const { node } = process.versions
const platform = `${process.platform}-${process.arch}`

if (Number(node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `Millrace needs Node ${NEEDED} or newer, and this is ${node}. ` +
      (BROUGHT_ALONG.includes(platform)
        ? 'Run "npm ci", which brings it along.\n'
        : `Install it from nodejs.org: "npm ci" brings none along for ${platform}.\n`),
  )
  process.exit(1)
}
