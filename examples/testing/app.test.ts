import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { connect } from '../../packages/testing/src/index.ts'
import app from './worker.ts'

it('lets a person in who signs in with the scope', async () => {
  const client = await connect(app, { env, signIn: { scopes: ['orders:read'] } })
  expect((await client.callTool('orders')).text).toBe('No orders of owner')
})

it('refuses a client without a token', async () => {
  await expect(connect(app, { env })).rejects.toMatchObject({ status: 401 })
})
