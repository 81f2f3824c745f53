import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { useProgramInBrowser } from '../helpers/program-in-browser.ts'

const program = useProgramInBrowser()

test('a link from outside asks first, reads nothing until then, and never imports without a preview', async () => {
  const reads: string[] = []
  const flow = { format: 'millrace-flow', version: 1, flows: [] }
  const server = createServer((request, response) => {
    reads.push(request.url ?? '')
    response.end(JSON.stringify(flow))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders.json?a=b&c`
  const { id } = await program.call<{ id: string }>('POST', '/v1/flows', { name: 'Orders', steps: [] })
  const { page, problems, go } = await program.open()

  await go(`/open-link?flow=${id}`)
  await page.getByText('A link leads to the flow “Orders”').waitFor()
  await page.getByRole('link', { name: 'Open flow' }).click()
  await page.getByRole('tab', { name: 'Steps' }).first().waitFor()

  await go(`/open-link?${new URLSearchParams({ import: url })}`)
  await page.getByText(url, { exact: true }).waitFor()
  const before = reads.length
  await page.getByRole('button', { name: 'Read and preview' }).click()
  await page.getByRole('dialog', { name: 'Import flows' }).waitFor()
  const flows = await program.call<unknown[]>('GET', '/v1/flows?filter=name,eq,Orders')
  server.close()

  await page.keyboard.press('Escape')
  await go(`/open-link?${new URLSearchParams({ import: 'https://example.test/flow.json' })}`)
  await page.getByRole('button', { name: 'Read and preview' }).click()
  await page.getByRole('link', { name: 'Download in the browser' }).waitFor()
  await go('/open-link?flow=00000000-0000-7000-8000-000000000000')
  await page.getByText('There is no such flow').waitFor()
  expect({ before, reads, flows: flows.length, problems }).toEqual({
    before: 0,
    reads: ['/orders.json?a=b&c'],
    flows: 1,
    problems: [],
  })
})
