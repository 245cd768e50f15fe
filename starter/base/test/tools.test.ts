import { accept, connect, decline } from 'edgeway/testing'
import { describe, expect, it } from 'vitest'
import { server } from '../src/server.ts'

describe('roll_dice', () => {
  it('returns a number of the die', async () => {
    const client = await connect(server)
    const { structuredContent } = await client.callTool('roll_dice', { sides: 2 })
    expect(structuredContent).toEqual({ number: expect.toBeOneOf([1, 2]) })
  })
})

describe('book_table', () => {
  it('books for as many people as the person says', async () => {
    const client = await connect(server, { elicit: [accept({ people: 4 })] })
    const { text } = await client.callTool('book_table', { restaurant: 'Lotus' })
    expect(text).toBe('Booked a table for 4 at Lotus.')
  })

  it('books nothing when the person declines', async () => {
    const client = await connect(server, { elicit: [decline] })
    const { text } = await client.callTool('book_table', { restaurant: 'Lotus' })
    expect(text).toBe('No table was booked.')
  })
})
