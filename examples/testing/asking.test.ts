// features: asks
import { expect, it } from 'vitest'
import { accept, connect, decline } from '../../packages/testing/src/index.ts'
import { server } from './server.ts'

it('orders as many items as the person says', async () => {
  const client = await connect(server, { elicit: [accept({ quantity: 2 })] })
  const { text } = await client.callTool('order', { item: 'tea' })
  expect(text).toBe('Ordered 2 of tea.')
})

it('orders nothing when the person declines', async () => {
  const client = await connect(server, { elicit: [decline] })
  const { text } = await client.callTool('order', { item: 'tea' })
  expect(text).toBe('Nothing was ordered.')
})
