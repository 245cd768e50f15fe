/**
 * A feature of an author: an extension of the protocol with a method, a member of the context and a Durable Object.
 * Callers send their name as the token: `owner` may read the log.
 *
 *     npx wrangler dev --config examples/audit/wrangler.toml
 */
import * as z from 'zod'
import { verifier } from '../../src/auth/index.ts'
import { createEdgeway, createServer } from '../../src/index.ts'
import { audit } from './audit.ts'

const server = createServer({ name: 'refunds', version: '1.0.0' })

server.registerTool(
  'refund',
  {
    title: 'Refund an order',
    description: 'Refunds an order.',
    inputSchema: z.object({ order: z.string().min(1) }),
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  async ({ order }, ctx) => {
    await audit.of(ctx).record(`refunded ${order}`)
    return `Order ${order} was refunded.`
  },
)

const edgeway = createEdgeway(server, {
  auth: verifier(({ headers }) => {
    const [, name] = /^Bearer (\w{1,40})$/.exec(headers.get('authorization') ?? '') ?? []
    return name === undefined
      ? undefined
      : { subject: name, scopes: name === 'owner' ? ['audit'] : [] }
  }),
  features: [audit],
})
export default edgeway

export { AuditLog } from './audit.ts'
