/** Lists, adds, removes, creates and tests plug-ins. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pluginName, usesAuths } from '../../../shared/contract/plugins/manifest.ts'
import {
  addPluginRoute,
  confirmPluginRoute,
  listPluginsRoute,
  type Plugin,
  removePluginRoute,
} from '../../../shared/contract/plugins/plugins.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import { readPluginFolder } from '../../services/reaching/plugins/plugin-files.ts'
import { testPlugin } from '../../services/reaching/plugins/test-plugin.ts'
import { createScripts } from '../../services/reaching/step-ports/run-scripts.ts'
import type { CommandContext } from '../support/command-context.ts'
import { formatTable } from '../support/output.ts'
import { pluginTemplate } from '../support/plugin-template.ts'
import { withHost } from '../support/with-host.ts'

export async function listPlugins({ config, output }: CommandContext): Promise<void> {
  const plugins = await withHost(config, (host) => host.call(listPluginsRoute))
  output.answer(
    plugins,
    formatTable(
      ['NAME', 'VERSION', 'STATUS', 'TITLE'],
      plugins.map((one) => [
        one.name,
        one.manifest?.version ?? '',
        one.status,
        one.manifest?.title ?? one.problem ?? '',
      ]),
    ),
  )
}

/** Copies a folder or an archive into the data folder. With `--yes`, also confirms it. */
export async function addPlugin(
  { config, output }: CommandContext,
  { yes = false }: { readonly yes?: boolean },
  path: string,
): Promise<void> {
  const added = await withHost(config, async (host) => {
    const plugin = await host.call(addPluginRoute, { body: { path: resolve(path) } })
    const { name, hash } = plugin
    return yes ? host.call(confirmPluginRoute, { params: { name }, body: { hash } }) : plugin
  })
  const next =
    added.status === 'ready'
      ? []
      : ['Look at it under Plug-ins in the app and confirm it, or add it with --yes.']
  output.answer(added, [`Added "${added.name}". ${reachOf(added)}`, ...next].join('\n'))
}

/** A sentence about what the plug-in can reach. */
function reachOf({ manifest }: Plugin): string {
  const { origins = [], files = 'none', key_values: keyValues = false } = manifest?.permissions ?? {}
  const reach = [
    ...origins.map((origin) => `sends requests to ${origin}`),
    ...(manifest && usesAuths(manifest) ? ['signs in there with the connector auth of the step'] : []),
    ...(files === 'none'
      ? []
      : [files === 'read' ? 'reads files in allowed folders' : 'reads and writes files in allowed folders']),
    ...(keyValues ? ['keeps values between runs'] : []),
  ]
  return reach.length === 0 ? 'It can only compute.' : `It ${reach.join(', ')}.`
}

export async function removePlugin(
  { config, output }: CommandContext,
  _: unknown,
  name: string,
): Promise<void> {
  await withHost(config, (host) => host.call(removePluginRoute, { params: { name } }))
  output.answer({ name }, `Removed "${name}".`)
}

/** Creates the folder of a new plug-in, with all its files. */
export async function beginPlugin({ output }: CommandContext, _: unknown, path: string): Promise<void> {
  const folder = resolve(path)
  const name = folder.split(/[/\\]/).at(-1) ?? ''
  if (!pluginName.safeParse(name).success)
    throw new HostError(
      EXIT.failed,
      `"${name}" can't be the name of a plug-in: use lower-case letters, digits and _`,
    )
  if (existsSync(folder)) throw new HostError(EXIT.failed, `"${path}" already exists; choose another name`)
  for (const [file, content] of pluginTemplate(name)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
  await Promise.resolve(
    output.answer({ folder }, `Created ${path}. Test it with: millrace plugin test ${path}`),
  )
}

/** Exits with 1 if a case fails. */
export async function testPluginFolder(
  { output }: CommandContext,
  _: unknown,
  path = '.',
): Promise<ExitCode> {
  const scripts = createScripts()
  try {
    const results = await testPlugin(readPluginFolder(resolve(path)), scripts)
    const failed = results.filter(({ problem }) => problem !== null)
    const lines = results.map(({ file, problem }) =>
      problem === null ? `ok ${file}` : `FAILED ${file}: ${problem}`,
    )
    output.answer(results, lines.join('\n'))
    return failed.length === 0 ? EXIT.ok : EXIT.failed
  } finally {
    await scripts.close()
  }
}
