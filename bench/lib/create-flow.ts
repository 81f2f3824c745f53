/** Creates a flow in a running Millrace and returns its webhook URL. */
export interface HookAddress {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly flowId: string
}

export async function createFlow(url: string, bearer: string, flow: object): Promise<HookAddress> {
  const created = await send('POST', `${url}/v1/flows`, flow)
  const { webhook } = await send('PUT', `${url}/v1/flows/${created.id}`, { status: 'active' })
  return {
    path: new URL(webhook.url).pathname,
    headers: { Authorization: `Bearer ${webhook.token}` },
    flowId: created.id,
  }

  async function send(method: string, address: string, body: object): Promise<Created> {
    const response = await fetch(address, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`the flow was refused: ${await response.text()}`)
    return (await response.json()) as Created
  }
}

interface Created {
  readonly id: string
  readonly webhook: { readonly url: string; readonly token: string }
}
