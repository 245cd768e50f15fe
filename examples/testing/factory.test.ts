import { expect, it } from 'vitest'
import { connect } from '../../packages/testing/src/index.ts'
import { createShop } from './factory.ts'

it.each([
  ['staff', ['price', 'refund']],
  ['customer', ['price']],
])('offers a caller of the role %s the tools %j', async (role, tools) => {
  const client = await connect(createShop, { caller: { subject: 'ann', props: { role } } })
  expect((await client.listTools()).map(({ name }) => name)).toEqual(tools)
})
