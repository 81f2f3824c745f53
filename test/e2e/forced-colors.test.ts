/** What is distinguished only by colors can still be told apart if the system chooses the colors. */
import { expect, test } from 'vitest'
import type { ConnectorAuth } from '../../src/shared/contract/connector-auths.ts'
import { HTTP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

const program = useProgramInBrowser()

test('with forced colors, the days of an auth, charts and boxes stay visible, in both themes', async () => {
  const api = await startThirdPartyApi((_request, response) => response.end('[]'))
  const { id: auth_id } = await program.call<ConnectorAuth>('POST', '/v1/connector-auths', {
    connector_id: HTTP_CONNECTOR_ID,
    name: 'Kontor',
    auth_type: 'bearer',
    auth_token: 'x',
    user_input: { url: api.url },
  })
  const { id } = await program.call<Flow>('POST', '/v1/flows', {
    name: 'Contacts',
    steps: [{ ref_id: 'all', type: 'rest', config: { method: 'GET', url: `${api.url}/o`, auth_id } }],
  })
  await program.call('POST', `/v1/flows/${id}/run?wait=true`, {})
  const { page, problems, go } = await program.open({ path: '/auths' })
  const days = page.getByRole('img', { name: /^Last 30 days: worked on 1 day/ })
  const seen = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme })
    await go('/auths')
    await days.waitFor()
    const dots = await days.evaluate((element) => {
      const canvas = getComputedStyle(document.body).backgroundColor
      const lookOf = (dot: Element | undefined) => {
        const { backgroundColor, borderTopWidth } = getComputedStyle(dot as Element)
        return `${backgroundColor === canvas || backgroundColor === 'rgba(0, 0, 0, 0)' ? 'hollow' : 'filled'} ${borderTopWidth}`
      }
      return { used: lookOf([...element.children].at(-1)), unused: lookOf(element.children[0]) }
    })
    await go('/runs')
    const bar = page.locator('svg path.fill-chart-main').first()
    await bar.waitFor({ state: 'attached' })
    const chart = await bar.evaluate((path) => {
      const { color } = getComputedStyle(document.body)
      return getComputedStyle(path).fill === color
    })
    const box = await page.evaluate(() => {
      const input = Object.assign(document.createElement('input'), { type: 'checkbox' })
      document.body.append(input)
      const look = [getComputedStyle(input).appearance, getComputedStyle(input, '::before').display]
      input.remove()
      return look.join(' ')
    })
    seen.push({ dots, chart, box })
  }
  const look = { dots: { used: 'filled 0px', unused: 'hollow 1px' }, chart: true, box: 'auto none' }
  expect({ seen, problems }).toEqual({ seen: [look, look], problems: [] })
})
