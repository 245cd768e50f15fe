import { expect, it } from 'vitest'
import { connect } from '../../packages/testing/src/index.ts'
import { server } from './server.ts'

it('shows orders to a caller with the scope', async () => {
  const client = await connect(server, { caller: { subject: 'ann', scopes: ['orders:read'] } })
  expect((await client.callTool('orders')).text).toBe('No orders of ann')
})

it('refuses a caller without the scope', async () => {
  const client = await connect(server, { caller: { subject: 'bob' } })
  const refused = { status: 403, scopes: ['orders:read'] }
  await expect(client.callTool('orders')).rejects.toMatchObject(refused)
})
