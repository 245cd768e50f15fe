import { env } from 'cloudflare:workers'
import { connect } from 'edgeway/testing'
import { expect, it } from 'vitest'
import app from '../src/worker.ts'

it('refuses a client without a token', async () => {
  await expect(connect(app, { env })).rejects.toMatchObject({ status: 401 })
})
