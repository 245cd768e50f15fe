/** Tests the code example: one call finds what is missing and orders it, after a person has confirmed. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import inventory from '../../examples/code/worker.ts'
import { accept, connect, decline } from '../../packages/testing/src/index.ts'

const REFILL = `
  const { items } = await tools.list_items()
  const all = await Promise.all(items.map((item) => tools.get_stock({ item })))
  const missing = all.filter(({ left }) => left === 0)
  const orders = await Promise.all(
    missing.map(({ item }) => tools.order_item({ item, count: 5 })),
  )
  return { orders, now: await tools.get_stock({ item: 'pears' }) }
`

// The first object of a test file loads the whole notebook, which may take longer than the keyring may.
beforeAll(() =>
  vi.waitFor(
    async () => {
      const client = await connect(inventory, { env, elicit: [decline] })
      await client.callTool('order_item', { item: 'plums', count: 1 })
    },
    { timeout: 50_000, interval: 500 },
  ),
)

describe('the code example', () => {
  it('orders nothing when the person declines', async () => {
    const client = await connect(inventory, { env, elicit: [decline] })
    const { structuredContent } = await client.callTool('execute', { code: REFILL })
    expect(structuredContent).toMatchObject({
      result: { orders: ['pears were not ordered.'], now: { left: 0 } },
      calls: 6,
    })
  })

  it('orders what is missing, once, when the person confirms', async () => {
    const client = await connect(inventory, { env, elicit: [accept({})] })
    const { structuredContent } = await client.callTool('execute', { code: REFILL })
    expect(structuredContent).toMatchObject({
      result: { orders: ['5 pears are ordered.'], now: { left: 5 } },
    })
    expect(client.asks.map(({ params }) => params.message)).toEqual(['Order 5 pears?'])
  })
})
