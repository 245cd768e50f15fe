import { expect, it } from 'vitest'
import { connect } from '../../packages/testing/src/index.ts'
import { server } from './server.ts'

it('returns the price of an item', async () => {
  const client = await connect(server)
  const { structuredContent } = await client.callTool('price', { item: 'tea' })
  expect(structuredContent).toEqual({ euros: 3 })
})
