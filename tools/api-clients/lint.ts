/** Prints what the linters of integrators find in the API description on stdin, one finding per line. */
import { text } from 'node:stream/consumers'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Spectral } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

const source = await text(process.stdin)

const config = await createConfig({ extends: ['recommended'] })
for (const { ruleId, message, location } of await lintFromString({ source, config }))
  console.log(`redocly ${ruleId}: ${message} (${location[0]?.pointer})`)

const spectral = new Spectral()
// Millrace is nobody's service, so there is no one to contact.
spectral.setRuleset({ extends: [oas], rules: { 'info-contact': 'off' } })
for (const { code, message, path } of await spectral.run(source))
  console.log(`spectral ${code}: ${message} (${path.join('/')})`)
