import { env } from 'cloudflare:workers'
import { accept, connect } from 'edgeway/testing'
import { expect, it } from 'vitest'
import app from '../src/worker.ts'

it.each(['2026-07-28', '2025-11-25'] as const)(
  'serves clients of the revision %s',
  async (revision) => {
    const client = await connect(app, { env, revision, elicit: [accept({ people: 2 })] })
    const { text } = await client.callTool('book_table', { restaurant: 'Lotus' })
    expect(text).toBe('Booked a table for 2 at Lotus.')
  },
)
