import { connect } from 'edgeway/testing'
import { expect, it } from 'vitest'
import { server } from '../src/server.ts'

it('has tools of the API beside its own', async () => {
  const client = await connect(server)
  const names = (await client.listTools()).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['roll_dice', 'book_table']))
  expect(names.length).toBeGreaterThan(2)
})
