import { env } from 'cloudflare:workers'
import { accept, connect } from 'edgeway/testing'
import { expect, it } from 'vitest'
import app from '../src/worker.ts'

it.each(['2026-07-28', '2025-11-25'] as const)(
  'serves a person who has signed in, in the revision %s',
  async (revision) => {
    const elicit = [accept({ people: 2 })]
    const client = await connect(app, { env, revision, elicit, signIn: true })
    const { text } = await client.callTool('book_table', { restaurant: 'Lotus' })
    expect(text).toBe('Booked a table for 2 at Lotus.')
  },
)
